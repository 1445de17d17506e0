//! External effects: files, network, other processes, thread pools, clock and randomness, by the names under which
//! external packages offer them. Environment variables are excluded, because much code reads a switch from them.
//! Types that only describe such a resource (paths, addresses, abstract streams, errors) are excluded, because
//! receiving one has no effect by itself.

use std::sync::LazyLock;

use regex::Regex;

use crate::Language;

/// Names with external effects in some languages.
pub struct Effects {
    languages: &'static [Language],
    names: LazyLock<Option<Regex>>,
    /// The query for calls that need no import to reach out, for languages with such.
    pub written: Option<&'static str>,
}

impl Effects {
    /// Returns whether the name of something in a package outside, its parts joined by `::`, reaches out.
    pub fn knows(&self, name: &str) -> bool {
        self.names.as_ref().is_some_and(|names| names.is_match(name))
    }
}

/// Names with external effects in a language; `None` if the language is not covered.
pub fn effects(language: Language) -> Option<&'static Effects> {
    EFFECTS.iter().find(|known| known.languages.contains(&language))
}

static EFFECTS: [Effects; 5] = [
    Effects {
        languages: &[Language::Python],
        names: LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
  socket::(?:socket|create_connection|create_server|getaddrinfo|gethostby\w+)
| http::client::HTTPS?Connection | urllib::request::(?:urlopen|urlretrieve|build_opener)
| (?:smtplib|ftplib|imaplib|poplib|telnetlib|nntplib)::[A-Z]\w* | xmlrpc::client::ServerProxy
| urllib3::(?:request|PoolManager|poolmanager::(?:PoolManager|proxy_from_url)|connectionpool::HTTPS?ConnectionPool)
| (?:requests|httpx)::(?:get|post|put|patch|delete|head|options|request|stream|[sS]ession|sessions::Session|(?:Async)?Client)
| aiohttp::ClientSession | websockets?::\w*connect\w* | paramiko::\w+Client | grpc::(?:aio::)?\w*channel
| redis::(?:asyncio::)?(?:Strict)?Redis\w* | pymongo::MongoClient | (?:psycopg2?|asyncpg|pymysql|MySQLdb|sqlite3|duckdb)::(?:connect|create_pool)
| sqlalchemy::(?:\w+::)*create_(?:async_)?engine | boto3::(?:client|resource|[sS]ession) | kafka::Kafka\w+ | pika::\w*Connection
| elasticsearch::(?:Async)?Elasticsearch
| concurrent::futures::(?:\w+::)?\w+PoolExecutor | multiprocessing::(?:pool::)?(?:\w*Pool|Process)
| (?:http::server|socketserver|xmlrpc::server)::\w+Server | wsgiref::simple_server::make_server
| asyncio::(?:streams::)?(?:open_\w*connection|start_\w*server) | asyncio::create_subprocess_\w+
| subprocess::(?:run|call|check_\w+|Popen|getoutput|getstatusoutput)
| shutil::(?:copy\w*|move|rmtree|chown|make_archive|unpack_archive|disk_usage|which)
| tempfile::(?:mk\w+|\w*TemporaryFile|TemporaryDirectory)
| os::(?:listdir|walk|scandir|stat|lstat|remove|unlink|rename|replace|mkdir|makedirs|rmdir|removedirs|chmod|chown|chdir|getcwd|open|system|popen
  |exec\w+|spawn\w+|fork|kill|urandom|startfile|path::(?:exists|isfile|isdir|islink|getmtime|getsize|realpath))
| pathlib::\w+(?:\(\))?::(?:open|read_\w+|write_\w+|exists|is_file|is_dir|iterdir|glob|rglob|mkdir|unlink|rename|stat|touch|cwd|home)
| (?:io|codecs|gzip|bz2|lzma|zipfile|tarfile)::(?:open|ZipFile)
| random::[a-z]\w* | secrets::\w+ | uuid::uuid[14] | numpy::random::\w+
| time::(?:time|time_ns|sleep|monotonic|perf_counter|process_time|localtime|gmtime)\w* | timeit::default_timer
| datetime::(?:datetime::(?:now|utcnow|today)|date::today)
)(?:$|::|\(\))",
            )
            .ok()
        }),
        written: Some(r#"((call function: (identifier) @f) @found (#any-of? @f "open" "input"))"#),
    },
    Effects {
        languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx],
        names: LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
  node::fs::(?:promises::)?[a-z]\w* | node::fs/promises::\w+ | node::child_process::\w+ | node::(?:dns|dgram|tls|readline)::(?:promises::)?[a-z]\w*
| node::https?::(?:request|get|createServer|Server|Agent) | node::http2::(?:connect|create\w*Server) | node::worker_threads::Worker | node::net::(?:connect|createConnection|createServer|Socket|Server)
| node::crypto::(?:random\w*|getRandomValues) | node::os::[a-z]\w* | node::process::(?:hrtime|exit|stdin)
| (?:axios|node-fetch|got|superagent|request|undici|ws|nodemailer|stripe|openai|knex|sequelize|typeorm|mongoose|better-sqlite3|sqlite3|socket\.io-client)
| (?:pg|mysql2?|mongodb|redis|ioredis|kafkajs|amqplib|memcached|nats)(?:/\w+)*
| @aws-sdk/client-[\w-]+::\w+Client | @prisma/client::PrismaClient | @elastic/elasticsearch::Client | @google-cloud/[\w-]+ | aws-sdk
)(?:$|::|\(\))",
            )
            .ok()
        }),
        written: Some(
            r#"((call_expression function: (identifier) @f) @found (#eq? @f "fetch"))
((call_expression function: (member_expression) @f) @found (#match? @f "^(Math[.]random|Date[.]now|performance[.]now|crypto[.](randomUUID|getRandomValues)|((window|globalThis)[.])?(localStorage|sessionStorage|indexedDB|fetch)([.]\\w+)?)$"))
((new_expression constructor: (identifier) @f) @found (#any-of? @f "XMLHttpRequest" "WebSocket" "EventSource" "Worker"))
((new_expression constructor: (identifier) @f arguments: (arguments . ")")) @found (#eq? @f "Date"))"#,
        ),
    },
    Effects {
        languages: &[Language::Rust],
        names: LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
  std::fs::(?:read\w*|write|copy|rename|remove_\w+|create_dir\w*|metadata|symlink_metadata|canonicalize|exists|(?:File|OpenOptions)::(?:open|create|create_new))
| std::path::Path(?:Buf)?::(?:exists|is_file|is_dir|metadata|read_dir|canonicalize)
| std::net::(?:TcpStream|TcpListener|UdpSocket)::\w+ | std::os::unix::net::\w+::\w+ | std::process::Command::(?:new|spawn|output|status)
| std::time::(?:Instant|SystemTime)::now | std::thread::sleep | std::io::(?:stdin|stdout|stderr)
| std::env::(?:current_dir|current_exe|args|args_os)
| tokio::(?:net|fs|process)::(?:\w+::)*\w+ | tokio::time::(?:sleep\w*|interval\w*|Instant::now) | rand::(?:rng|thread_rng|random\w*) | getrandom::\w+
| (?:reqwest|ureq|hyper|sqlx|postgres|tokio-postgres|tokio_postgres|rusqlite|mongodb|redis|tonic|rdkafka|lapin|redb|sled)::(?:\w+::)*(?:new|open|create|connect\w*|builder|get|post)
| chrono::(?:\w+::)*(?:Utc|Local)::now | (?:uuid::)+Uuid::new_v[1-7]
)(?:$|::|\(\))",
            )
            .ok()
        }),
        written: None,
    },
    Effects {
        languages: &[Language::Go],
        names: LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
  net/http::(?:Get|Post|PostForm|Head|ListenAndServe\w*|Serve|ServeTLS|(?:Client|DefaultClient|Transport|Server)::\w+)
| net::(?:Dial\w*|Listen\w*|Lookup\w*|Dialer::\w+|Resolver::\w+|ListenConfig::\w+) | net/smtp::(?:Dial|SendMail) | net/rpc::Dial\w* | crypto/tls::Dial\w*
| os::(?:Open\w*|Create\w*|ReadFile|WriteFile|ReadDir|Remove\w*|Rename|Mkdir\w*|Stat|Lstat|Getwd|Chdir|Hostname|Exit|File::\w+)
| io/ioutil::(?:ReadFile|WriteFile|ReadDir|Temp\w+) | path/filepath::(?:Walk\w*|Glob|EvalSymlinks|Abs) | os/exec::\w+ | os/signal::Notify\w*
| time::(?:Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker) | math/rand(?:/v2)?::[A-Z]\w* | crypto/rand::\w+
| database/sql::(?:Open\w*|(?:DB|Tx|Conn|Stmt)::\w+) | google\.golang\.org/grpc::(?:Dial\w*|NewClient)
| gorm\.io/gorm::(?:Open|DB::\w+) | github\.com/jmoiron/sqlx::(?:Open|Connect\w*|DB::\w+) | github\.com/(?:redis|go-redis)/[\w/]+::(?:New\w*Client|Client::\w+)
| github\.com/jackc/pgx[\w/]*::(?:Connect\w*|New\w*|Pool::\w+) | go\.mongodb\.org/mongo-driver[\w/]*::(?:Connect|NewClient|Collection::\w+)
| github\.com/aws/aws-sdk-go[\w/.-]*::New\w* | github\.com/segmentio/kafka-go::New\w+ | github\.com/google/uuid::New\w*
)(?:$|::|\(\))",
            )
            .ok()
        }),
        written: None,
    },
    Effects {
        languages: &[Language::Java],
        names: LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
  java\.io::(?:File(?:Input|Output)Stream|FileReader|FileWriter|RandomAccessFile)
| java\.io::File::(?:createNewFile|createTempFile|delete\w*|exists|isFile|isDirectory|list\w*|mkdirs?|renameTo|length|lastModified|getCanonical\w+)
| java\.nio\.file::Files::\w+ | java\.nio\.channels::\w*(?:FileChannel|SocketChannel|DatagramChannel)::\w+
| java\.net::(?:Socket|ServerSocket|DatagramSocket|MulticastSocket|URLConnection|HttpURLConnection|URL::open\w+|InetAddress::get\w*ByName)
| javax\.net\.ssl::HttpsURLConnection | java\.net\.http::HttpClient::(?:send|sendAsync|newHttpClient|newBuilder)
| java\.util\.concurrent::(?:Executors::new\w+|(?:Scheduled)?ThreadPoolExecutor|ForkJoinPool) | com\.sun\.net\.httpserver::Https?Server
| org\.eclipse\.jetty[\w.]*::(?:Server|HttpClient) | io\.netty[\w.]*::\w*(?:Bootstrap|EventLoopGroup) | io\.grpc::\w*(?:Channel|Server)Builder
| com\.zaxxer\.hikari::HikariDataSource
| java\.sql::(?:DriverManager|Connection|Statement|PreparedStatement)::\w+ | javax\.sql::DataSource::\w+ | javax\.mail::Transport | jakarta\.mail::Transport
| java\.time::(?:Instant|LocalDate|LocalTime|LocalDateTime|ZonedDateTime|OffsetDateTime|Year|YearMonth)::now | java\.time::Clock::system\w+
| java\.util::(?:Random|UUID::randomUUID|Timer) | java\.security::SecureRandom | java\.util\.concurrent::ThreadLocalRandom::current
| okhttp3::OkHttpClient | org\.apache\.http[\w.]*::\w*HttpClient\w* | org\.springframework\.web[\w.]*::(?:RestTemplate|WebClient)
| org\.springframework\.jdbc[\w.]*::\w*JdbcTemplate | redis\.clients\.jedis::Jedis\w* | com\.mongodb\.client::MongoClients?
| org\.apache\.kafka\.clients[\w.]*::Kafka\w+ | software\.amazon\.awssdk[\w.]*::\w+Client | com\.amazonaws[\w.]*::\w+Client\w*
)(?:$|::|\(\))",
            )
            .ok()
        }),
        written: Some(
            r#"((method_invocation object: (identifier) @o name: (identifier) @n) @found (#eq? @o "System") (#any-of? @n "currentTimeMillis" "nanoTime" "exit"))
((method_invocation object: (identifier) @o name: (identifier) @n) @found (#any-of? @o "Math" "Thread" "Runtime") (#any-of? @n "random" "sleep" "getRuntime"))
((object_creation_expression type: (type_identifier) @t) @found (#eq? @t "ProcessBuilder"))"#,
        ),
    },
];

#[cfg(test)]
mod tests {
    use super::super::SyntaxQuery;
    use super::*;

    #[test]
    fn names_that_reach_out_and_names_that_only_describe() {
        let cases = [
            (Language::Python, "socket::socket()::connect", "socket::inet_aton"),
            (Language::Python, "os::listdir", "os::environ::get"),
            (Language::Python, "datetime::datetime::now", "datetime::timedelta"),
            (Language::Python, "random::choice", "random::Random()::choice"),
            (Language::Python, "pathlib::Path()::read_text", "pathlib::Path()::joinpath"),
            (Language::JavaScript, "node::fs::readFile", "node::fs::Stats::isFile"),
            (Language::TypeScript, "pg::Pool", "pgtools::x"),
            (Language::Tsx, "axios::get", "react::useState"),
            (Language::Rust, "std::fs::File::open", "std::fs::FileType::is_dir"),
            (Language::Rust, "std::time::Instant::now", "std::time::Duration::as_secs"),
            (Language::Go, "net/http::Client::Get", "net/http::Request::Context"),
            (Language::Go, "time::Now", "time::Duration::Seconds"),
            (Language::Java, "java.net::URL::openConnection", "java.net::URL::getHost"),
            (Language::Java, "java.nio.file::Files::newByteChannel", "java.nio.file::Path::getFileName"),
            (Language::Java, "java.io::FileReader", "java.io::StringReader"),
            (
                Language::Java,
                "java.util.concurrent::Executors::newFixedThreadPool",
                "java.util.concurrent::Executors::callable",
            ),
            (Language::Java, "com.sun.net.httpserver::HttpServer::create", "com.sun.net.httpserver::Headers"),
            (Language::Python, "concurrent::futures::ThreadPoolExecutor", "concurrent::futures::Future"),
            (Language::Python, "http::server::ThreadingHTTPServer", "http::server::BaseHTTPRequestHandler"),
            (Language::JavaScript, "node::http::Server", "node::http::ServerResponse"),
        ];
        for (language, reaches, describes) in cases {
            let effects = effects(language).expect("known");
            assert!(effects.knows(reaches), "{reaches}");
            assert!(!effects.knows(describes), "{describes}");
        }
    }

    #[test]
    fn every_expression_and_query_compiles() {
        for known in &EFFECTS {
            for &language in known.languages {
                assert!(known.names.is_some(), "{}", language.name());
                if let Some(query) = known.written {
                    assert_eq!(SyntaxQuery::new(language, query).map(|_| ()), Ok(()), "{}", language.name());
                }
            }
        }
        assert!(effects(Language::Vue).is_none());
    }
}

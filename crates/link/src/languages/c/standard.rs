//! Standard headers and the names they declare.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Package of the C library and its system extensions.
pub(super) const C_PACKAGE: &str = "libc";
/// Package of the C++ library.
pub(super) const CPP_PACKAGE: &str = "std";
/// Package of names that some header outside of the project declares, nobody knows which.
pub(super) const UNKNOWN_HEADER: &str = "<unknown header>";

/// Returns whether a header belongs to a standard library or a system.
pub(super) fn is_header(written: &str) -> bool {
    is_cpp_header(written) || is_c_header(written)
}

fn is_cpp_header(written: &str) -> bool {
    CPP_HEADERS.binary_search(&written).is_ok()
}

fn is_c_header(written: &str) -> bool {
    let Some(stem) = written.strip_suffix(".h") else { return false };
    C_HEADERS.binary_search(&stem).is_ok() || ["linux/", "asm/", "mach/"].iter().any(|folder| stem.starts_with(folder))
}

/// The package that a header outside of the project belongs to.
pub(super) fn package(written: &str) -> String {
    if is_cpp_header(written) {
        return CPP_PACKAGE.to_owned();
    }
    if is_c_header(written) {
        return C_PACKAGE.to_owned();
    }
    let first = written.split('/').next().unwrap_or(written);
    first.split('.').next().unwrap_or(first).to_owned()
}

/// Returns whether a package is that of a standard library.
pub(super) fn is_package(package: &str) -> bool {
    matches!(package, C_PACKAGE | CPP_PACKAGE)
}

/// The standard library that declares a name at file scope.
pub(super) fn package_of_name(name: &str, is_cpp: bool) -> Option<&'static str> {
    if is_cpp && name == CPP_PACKAGE {
        return Some(CPP_PACKAGE);
    }
    let known = KNOWN_NAMES.contains(name) || name.starts_with("__builtin_") || name.starts_with("__atomic_");
    known.then_some(C_PACKAGE)
}

/// Headers of C, POSIX and common systems, without their ending.
static C_HEADERS: &[&str] = &[
    "Availability", "AvailabilityMacros", "TargetConditionals", "aio", "alloca", "arm_neon", "arpa/inet", "assert",
    "byteswap", "complex", "conio", "cpio", "cpuid", "crt_externs", "crtdbg", "ctype", "direct", "dirent", "dlfcn",
    "emmintrin", "endian", "err", "errno", "error", "execinfo", "fcntl", "features", "fenv", "float", "fmtmsg",
    "fnmatch", "ftw", "getopt", "glob", "grp", "iconv", "ifaddrs", "immintrin", "intrin", "inttypes", "io", "iso646",
    "langinfo", "libgen", "libintl", "libkern/OSAtomic", "limits", "link", "linux/limits", "linux/types", "locale",
    "mach/mach_time", "malloc", "math", "memory", "monetary", "mqueue", "ndbm", "net/if", "netdb", "netinet/in",
    "netinet/ip", "netinet/tcp", "nl_types", "nmmintrin", "paths", "poll", "process", "pthread", "pty", "pwd", "regex",
    "resolv", "sched", "search", "semaphore", "setjmp", "signal", "smmintrin", "spawn", "stdalign", "stdarg",
    "stdatomic", "stdbit", "stdbool", "stdckdint", "stddef", "stdint", "stdio", "stdio_ext", "stdlib", "stdnoreturn",
    "string", "strings", "stropts", "sys/cdefs", "sys/epoll", "sys/event", "sys/eventfd", "sys/file", "sys/inotify",
    "sys/ioctl", "sys/ipc", "sys/mman", "sys/mount", "sys/msg", "sys/param", "sys/poll", "sys/prctl", "sys/ptrace",
    "sys/queue", "sys/random", "sys/resource", "sys/select", "sys/sem", "sys/sendfile", "sys/shm", "sys/signal",
    "sys/socket", "sys/stat", "sys/statvfs", "sys/syscall", "sys/sysctl", "sys/sysinfo", "sys/sysmacros", "sys/time",
    "sys/timeb", "sys/timerfd", "sys/times", "sys/types", "sys/uio", "sys/un", "sys/utsname", "sys/wait", "sysexits",
    "syslog", "tar", "tchar", "termios", "tgmath", "threads", "time", "tmmintrin", "uchar", "ucontext", "ulimit",
    "unistd", "utime", "utmp", "utmpx", "values", "wait", "wchar", "wctype", "wincon", "wincrypt", "windows",
    "windowsx", "winerror", "winnt", "winsock2", "wordexp", "ws2tcpip", "x86intrin", "xmmintrin",
];

/// Headers of C++.
static CPP_HEADERS: &[&str] = &[
    "algorithm", "any", "array", "atomic", "barrier", "bit", "bitset", "cassert", "ccomplex", "cctype", "cerrno",
    "cfenv", "cfloat", "charconv", "chrono", "cinttypes", "ciso646", "climits", "clocale", "cmath", "codecvt",
    "compare", "complex", "concepts", "condition_variable", "coroutine", "csetjmp", "csignal", "cstdarg", "cstdbool",
    "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctgmath", "ctime", "cuchar", "cwchar", "cwctype", "cxxabi",
    "deque", "exception", "execution", "expected", "filesystem", "format", "forward_list", "fstream", "functional",
    "future", "generator", "initializer_list", "iomanip", "ios", "iosfwd", "iostream", "istream", "iterator", "latch",
    "limits", "list", "locale", "map", "mdspan", "memory", "memory_resource", "mutex", "new", "numbers", "numeric",
    "optional", "ostream", "print", "queue", "random", "ranges", "ratio", "regex", "scoped_allocator", "semaphore",
    "set", "shared_mutex", "source_location", "span", "spanstream", "sstream", "stack", "stacktrace", "stdexcept",
    "stop_token", "streambuf", "string", "string_view", "strstream", "syncstream", "system_error", "thread", "tuple",
    "type_traits", "typeindex", "typeinfo", "unordered_map", "unordered_set", "utility", "valarray", "variant",
    "vector", "version",
];

/// Functions, types, objects and macros of C and POSIX: words in order.
const NAMES: &str = "\
    BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCK_MONOTONIC CLOCK_REALTIME DBL_EPSILON DBL_MAX DBL_MIN DIR EACCES EAGAIN \
    EBADF EBUSY ECONNREFUSED ECONNRESET EEXIST EINPROGRESS EINTR EINVAL EIO EISDIR ENOENT ENOMEM ENOSPC ENOSYS \
    ENOTDIR EOF EPERM EPIPE ERANGE ETIMEDOUT EWOULDBLOCK EXIT_FAILURE EXIT_SUCCESS FILE FLT_EPSILON FLT_MAX FLT_MIN \
    HUGE_VAL INFINITY INT16_MAX INT16_MIN INT32_MAX INT32_MIN INT64_C INT64_MAX INT64_MIN INT8_MAX INT8_MIN \
    INTPTR_MAX INT_MAX INT_MIN LC_ALL LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN M_PI NAN NULL O_APPEND O_CLOEXEC O_CREAT \
    O_EXCL O_NONBLOCK O_RDONLY O_RDWR O_TRUNC O_WRONLY PATH_MAX PRId32 PRId64 PRIu32 PRIu64 PRIx64 PTRDIFF_MAX \
    RAND_MAX SCHAR_MAX SCHAR_MIN SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIGABRT SIGALRM SIGBUS SIGCHLD SIGFPE \
    SIGHUP SIGILL SIGINT SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGTERM SIGUSR1 SIGUSR2 SIG_BLOCK SIG_DFL SIG_ERR SIG_IGN \
    SIG_SETMASK SIZE_MAX SSIZE_MAX STDERR_FILENO STDIN_FILENO STDOUT_FILENO S_ISDIR S_ISREG UCHAR_MAX UINT16_MAX \
    UINT32_C UINT32_MAX UINT64_C UINT64_MAX UINT8_MAX UINTPTR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX \
    WEXITSTATUS WIFEXITED WIFSIGNALED WNOHANG _Bool __DATE__ __FILE__ __FUNCTION__ __LINE__ __TIME__ __VA_ARGS__ \
    __attribute__ __builtin_expect __func__ abort abs accept access acos acosf acosh alarm aligned_alloc alloca \
    asctime asctime_r asin asinf asinh asprintf assert at_quick_exit atan atan2 atan2f atanf atanh atexit atof atoi \
    atol atoll auto basename bcmp bcopy bind blkcnt_t bool bsearch btowc bzero calloc cbrt ceil ceilf char char16_t \
    char32_t char8_t chdir chmod chown clearerr clock clock_getres clock_gettime clock_nanosleep clock_t close \
    closedir closelog connect copysign cos cosf cosh creat ctime ctime_r defined dev_t difftime dirent dirfd dirname \
    div div_t dlclose dlerror dlopen dlsym double dprintf drand48 dup dup2 environ erf erfc err errno errx execl \
    execle execlp execv execve execvp exit exp exp2 expf explicit_bzero expm1 fabs fabsf faccessat false fchdir \
    fchmod fchown fclose fcntl fdatasync fdim fdopen fdopendir feclearexcept feof ferror fflush ffs fgetc fgetpos \
    fgets fgetwc fileno float flock flockfile floor floorf fma fmax fmaxf fmemopen fmin fminf fmod fmodf fnmatch \
    fopen fork fpathconf fpclassify fpos_t fprintf fputc fputs fputwc fread free freeaddrinfo freeifaddrs freopen \
    frexp fscanf fseek fseeko fsetpos fstat fstatat fstatvfs fsync ftell ftello ftruncate ftw funlockfile fwprintf \
    fwrite gai_strerror getaddrinfo getc getc_unlocked getchar getcwd getdelim getegid getenv geteuid getgid \
    getgrgid getgrnam gethostbyname gethostname getifaddrs getline getlogin getnameinfo getopt getopt_long \
    getpagesize getpeername getpgid getpgrp getpid getppid getpriority getpwnam getpwnam_r getpwuid getpwuid_r \
    getrandom getrlimit getrusage gets getservbyname getsockname getsockopt gettimeofday getuid getwc getwchar gid_t \
    glob globfree gmtime gmtime_r hcreate hsearch htonl htons hypot iconv iconv_close iconv_open ilogb imaxabs \
    inet_addr inet_aton inet_ntoa inet_ntop inet_pton initgroups ino_t int int16_t int32_t int64_t int8_t \
    int_fast32_t intmax_t intptr_t ioctl isalnum isalpha isascii isatty isblank iscntrl isdigit isfinite isgraph \
    isinf islower isnan isnormal isprint ispunct isspace isupper iswalnum iswalpha iswdigit iswspace isxdigit \
    jmp_buf kill killpg labs lchown lconv ldexp ldiv lfind lgamma link listen llabs llrint llround locale_t \
    localeconv localtime localtime_r lockf log log10 log1p log2 logb logf long longjmp lrint lround lseek lstat \
    madvise mallinfo malloc malloc_usable_size mblen mbrlen mbrtowc mbsinit mbsrtowcs mbstate_t mbstowcs mbtowc \
    memalign memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset mkdir mkdirat mkdtemp mkfifo mknod \
    mkostemp mkstemp mktemp mktime mlock mmap mode_t modf modff mprotect mremap msync munlock munmap nan nanosleep \
    nearbyint nextafter nfds_t nftw nice nl_langinfo nlink_t ntohl ntohs nullptr nullptr_t off_t offsetof open \
    open_memstream openat opendir openlog optarg opterr optind pathconf pause pclose perror pid_t pipe pipe2 poll \
    pollfd popen posix_fadvise posix_fallocate posix_memalign posix_spawn posix_spawnp pow powf ppoll pread printf \
    pselect psignal pthread_atfork pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init \
    pthread_attr_setdetachstate pthread_attr_setstacksize pthread_attr_t pthread_barrier_destroy \
    pthread_barrier_init pthread_barrier_wait pthread_cancel pthread_cond_broadcast pthread_cond_destroy \
    pthread_cond_init pthread_cond_signal pthread_cond_t pthread_cond_timedwait pthread_cond_wait pthread_create \
    pthread_detach pthread_equal pthread_exit pthread_getspecific pthread_join pthread_key_create pthread_key_delete \
    pthread_key_t pthread_kill pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_t \
    pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_init \
    pthread_mutexattr_settype pthread_mutexattr_t pthread_once pthread_once_t pthread_rwlock_destroy \
    pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_t pthread_rwlock_unlock pthread_rwlock_wrlock \
    pthread_self pthread_setcancelstate pthread_setname_np pthread_setspecific pthread_sigmask pthread_spin_destroy \
    pthread_spin_init pthread_spin_lock pthread_spin_unlock pthread_t ptrace ptrdiff_t putc putc_unlocked putchar \
    putchar_unlocked putenv puts putwc putwchar pwrite qsort qsort_r quick_exit raise rand rand_r random read \
    readdir readdir_r readlink readlinkat readv realloc reallocarray realpath recv recvfrom recvmmsg recvmsg regcomp \
    regerror regex_t regexec regfree regmatch_t remainder remove remquo rename renameat rewind rewinddir rint rlimit \
    rmdir round roundf rusage sa_family_t sbrk scalbn scandir scanf sched_yield seekdir select sem_destroy sem_init \
    sem_post sem_t sem_trywait sem_wait send sendfile sendmsg sendto setbuf setegid setenv seteuid setgid setgroups \
    setitimer setjmp setlocale setlogmask setpgid setpriority setrlimit setsid setsockopt setuid setvbuf shm_open \
    shm_unlink shmat shmctl shmdt shmget short shutdown sig_atomic_t sigaction sigaddset sigaltstack sigdelset \
    sigemptyset sigfillset sigismember siglongjmp signal signbit signed sigpending sigprocmask sigset_t sigsetjmp \
    sigsuspend sigwait sin sinf sinh size_t sleep snprintf sockaddr sockaddr_in sockaddr_in6 sockaddr_storage \
    sockaddr_un socket socketpair socklen_t sprintf sqrt sqrtf srand srand48 srandom sscanf ssize_t stat \
    static_assert statvfs stderr stdin stdout stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp \
    strcoll strcpy strcspn strdup strerror strerror_r strftime strlcat strlcpy strlen strncasecmp strncat strncmp \
    strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtoimax strtok \
    strtok_r strtol strtold strtoll strtoul strtoull strtoumax strverscmp strxfrm suseconds_t swprintf symlink \
    symlinkat sync syscall sysconf sysctl syslog system tan tanf tanh tcflush tcgetattr tcsetattr telldir tempnam \
    termios tgamma thrd_create thrd_join time time_t timegm timer_create timer_delete timer_settime times timespec \
    timeval tm tmpfile tmpnam toascii tolower toupper towlower towupper true trunc truncate truncf ttyname typeid \
    tzset u_char u_int uid_t uint uint16_t uint32_t uint64_t uint8_t uint_fast32_t uintmax_t uintptr_t ulong umask \
    uname ungetc ungetwc unlink unlinkat unsetenv unsigned usleep utime utimensat utimes va_arg va_copy va_end \
    va_list va_start vasprintf vdprintf verr verrx vfork vfprintf vfscanf void vprintf vscanf vsnprintf vsprintf \
    vsscanf vswprintf vsyslog vwarn vwarnx vwprintf wait wait3 wait4 waitpid warn warnx wchar_t wcrtomb wcscat \
    wcschr wcscmp wcscoll wcscpy wcscspn wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsspn wcsstr wcstod wcstok \
    wcstol wcstombs wcstoul wcsxfrm wctob wctomb wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf write \
    writev";

/// [`NAMES`], one by one.
static KNOWN_NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| NAMES.split(' ').collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        let names: Vec<&str> = NAMES.split(' ').collect();
        for table in [C_HEADERS, CPP_HEADERS, &names] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn packages_of_headers() {
        let packages = ["stdio.h", "sys/types.h", "vector", "openssl/ssl.h", "ae.h", "linux/fs.h"].map(package);
        assert_eq!(packages, ["libc", "libc", "std", "openssl", "ae", "libc"]);
    }
}

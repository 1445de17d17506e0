//! What shells and usual systems define.

/// Commands and keywords of the shells themselves.
#[rustfmt::skip]
pub(super) const BUILTINS: &[&str] = &[
    "!", ".", ":", "[", "[[", "]]", "alias", "autoload", "bg", "bind", "bindkey", "break", "builtin", "caller",
    "case", "cd", "command", "compdef", "compgen", "complete", "compopt", "continue", "coproc", "declare", "dirs",
    "disable", "disown", "do", "done", "echo", "elif", "else", "emulate", "enable", "esac", "eval", "exec", "exit",
    "export", "false", "fc", "fg", "fi", "float", "for", "function", "functions", "getopts", "hash", "help",
    "history", "if", "in", "integer", "jobs", "kill", "let", "local", "logout", "mapfile", "noglob", "popd",
    "print", "printf", "pushd", "pwd", "read", "readarray", "readonly", "rehash", "repeat", "return", "select",
    "set", "setopt", "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap", "true", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "unsetopt", "until", "vared", "wait", "whence", "where",
    "while", "zle", "zmodload", "zstyle", "{", "}",
];

/// Programs of usual systems, and those that scripts run most.
#[rustfmt::skip]
pub(super) const PROGRAMS: &[&str] = &[
    "[", "apk", "apt", "apt-get", "ar", "arch", "awk", "base64", "basename", "bash", "bc", "brew", "bunzip2",
    "bzip2", "cargo", "cat", "cc", "chgrp", "chmod", "chown", "chroot", "cksum", "clang", "clear", "cmake", "cmp",
    "column", "comm", "cp", "cpio", "crontab", "csplit", "curl", "cut", "dash", "date", "dd", "df", "diff", "dig",
    "dirname", "dmesg", "dnf", "docker", "dpkg", "du", "ed", "egrep", "env", "expand", "expect", "expr", "factor",
    "fgrep", "file", "find", "flock", "fmt", "fold", "free", "fuser", "g++", "gawk", "gcc", "getconf", "getent",
    "git", "go", "gpg", "grep", "groupadd", "groups", "gunzip", "gzip", "head", "hexdump", "host", "hostname",
    "iconv", "id", "ifconfig", "install", "ionice", "ip", "iptables", "java", "javac", "join", "jq", "kill",
    "killall", "ksh", "kubectl", "ld", "ldconfig", "ldd", "less", "ln", "locale", "logger", "login", "logname",
    "look", "losetup", "ls", "lsb_release", "lscpu", "lsof", "make", "man", "md5", "md5sum", "mkdir", "mkfifo",
    "mknod", "mktemp", "modprobe", "more", "mount", "mv", "mvn", "nawk", "nc", "netstat", "nice", "nl", "nm",
    "node", "nohup", "npm", "nproc", "npx", "nslookup", "objdump", "od", "openssl", "pacman", "passwd", "paste",
    "patch", "perl", "pgrep", "php", "pidof", "ping", "pip", "pip3", "pkg", "pkg-config", "pkill", "pr", "ps",
    "psql", "pwgen", "python", "python2", "python3", "readelf", "readlink", "realpath", "renice", "rev", "rg", "rm",
    "rmdir", "rpm", "rsync", "ruby", "sar", "scp", "screen", "sed", "seq", "service", "setsid", "sh", "sha1sum",
    "sha256sum", "sha512sum", "shasum", "shred", "shuf", "sleep", "sort", "split", "sqlite3", "ssh", "ssh-add",
    "ssh-agent", "ssh-keygen", "stat", "strace", "strings", "strip", "stty", "su", "sudo", "sum", "sw_vers", "sync",
    "sysctl", "systemctl", "tac", "tail", "tar", "tee", "timeout", "tmux", "top", "touch", "tput", "tr", "tree",
    "tsort", "tty", "umount", "uname", "unexpand", "uniq", "unlink", "unxz", "unzip", "uptime", "useradd",
    "usermod", "users", "uuidgen", "vi", "vim", "watch", "wc", "wget", "which", "who", "whoami", "xargs",
    "xcodebuild", "xxd", "xz", "yarn", "yes", "yum", "zcat", "zip", "zsh",
];

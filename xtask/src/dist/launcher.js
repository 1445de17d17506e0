// Starts the program that npm installed for this platform, with the same arguments, streams and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

/** The C library of a Linux: a report of Node names glibc if it runs with it. */
function usesMusl() {
  if (process.platform !== "linux") return false;
  try {
    return !process.report.getReport().header.glibcVersionRuntime;
  } catch {
    return false;
  }
}

/** The path of the program. */
function findProgram() {
  const name = `m1nd-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "bin/m1nd.exe" : "bin/m1nd";
  // The static program runs everywhere, so it is the second choice on any Linux.
  const packages = usesMusl() ? [`${name}-musl`] : [name, `${name}-musl`];
  for (const candidate of packages) {
    try {
      return require.resolve(`${candidate}/${file}`);
    } catch {
      // Try the next one.
    }
  }
  console.error(
    `m1nd: the package ${packages[0]} is not installed. Either there is none for this platform, or npm was run with ` +
      "--omit=optional; then repeat the installation without that option.",
  );
  process.exit(1);
}

module.exports = function launch(name) {
  const program = findProgram();
  const args = process.argv.slice(2);
  // Replacing this process leaves one process, which receives all signals.
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(program, [name, ...args], process.env);
  }
  const words = name === "mind" && process.platform === "win32" ? ["memory", ...args] : args;
  const child = spawn(program, words, { stdio: "inherit", argv0: name, windowsHide: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`m1nd: cannot start ${program}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
};

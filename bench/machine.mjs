// What a table states about the machine that it was measured on.
import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";

/** @param {number | string} [beside]   other processes that took processors */
export function machineText(beside) {
  const others = beside === undefined ? "" : `, ${beside} processes beside`;
  return `${cpus().length} processors, ${cpus()[0]?.model}${others}, load ${loadavg()[0]?.toFixed(1)} at the end`;
}

/** The release of the `erl` that is found first. */
export const otpRelease = () =>
  execFileSync("erl", ["-noshell", "-eval", "io:put_chars(erlang:system_info(otp_release)), halt()."], {
    encoding: "utf8",
  });

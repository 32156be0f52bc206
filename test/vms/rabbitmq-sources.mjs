// The sources of the RabbitMQ that the tests run, as its developers have them: Debian's source package.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { fetchSource, SOURCE_REQUIREMENTS, sourceVersion } from "../../scripts/debian-source.mjs";
import { ensureSystemPackages } from "../../scripts/system-packages.mjs";
import { prepareOtp } from "./otp.mjs";

/** OTP 27 and its RabbitMQ are of this suite. */
const SUITE = "trixie";

/** @returns {Promise<string>} a folder in the user's cache, to be copied */
export async function rabbitmqSources() {
  const version = await sourceVersion(await prepareOtp("27"), "rabbitmq-server");
  const folder = join(cacheFolder(), "rabbitmq-sources", version.replaceAll(/[^\w.+-]/g, "_"));
  if (existsSync(folder)) return folder;
  await ensureSystemPackages(SOURCE_REQUIREMENTS);
  const building = `${folder}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  try {
    renameSync(await fetchSource({ folder: building, suite: SUITE, name: "rabbitmq-server", version }), folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}

import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson } from "./helper.mjs";
import { wrongness } from "./exact-caller.test.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
const [release, module, seconds, engines, ...args] = process.argv.slice(2);
const vm = await runErl({ otp: await prepareOtp(release), module, args });
const files = [];
for (const e of engines.split(",")) {
  const file = `/tmp/try-${release}-${module}-${e}.pb.gz`;
  const r = await helperJson(["record", vm.pid, "-d", seconds, "-F", 997, "-o", file, "--force", "--engine", e]);
  console.log(e, JSON.stringify(r.quality));
  files.push([e, file]);
}
const last = await vm.stop();
if (last.legal) for (const [e, file] of files) {
  const profile = readProfile(file); const count = countIndex(profile); const by = {}; const wrong = {};
  for (const s of profile.samples) {
    if (!s.frames.some(f => f.kind !== "erlang") || !s.frames.some(f => f.name.startsWith("gt_bif:"))) continue;
    const k = String(s.labels.trust); by[k] ??= [0, 0]; by[k][0] += s.values[count];
    const w = wrongness(s, last.legal); if (w) { by[k][1] += s.values[count]; wrong[w] = (wrong[w] ?? 0) + s.values[count]; }
  }
  console.log(e, by, wrong);
}
process.exit(0);

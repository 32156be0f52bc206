// A capture that is not written for a minute, by the engine `bpf`.
import { testUnwritten } from "./unwritten.mjs";

testUnwritten("bpf");

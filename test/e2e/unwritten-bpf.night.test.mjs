// Captures that are not written for minutes, with the engine `bpf`.
import { testUnwritten } from "./unwritten.mjs";

testUnwritten("bpf");

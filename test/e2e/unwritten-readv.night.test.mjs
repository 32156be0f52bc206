// A capture that is not written for a minute, by the engine `readv`.
import { testUnwritten } from "./unwritten.mjs";

testUnwritten("readv");

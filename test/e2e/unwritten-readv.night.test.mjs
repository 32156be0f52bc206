// Captures that are not written for minutes, with the engine `readv`.
import { testUnwritten } from "./unwritten.mjs";

testUnwritten("readv");

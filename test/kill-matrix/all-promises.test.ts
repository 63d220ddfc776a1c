/** Some faults against all promises: nothing else is broken. */

import { testDrawnCells } from "./cell-tests.ts";

testDrawnCells();

import { fuzzPart } from './fuzz.ts';

fuzzPart(4, 4);

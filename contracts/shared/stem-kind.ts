import { openEnum } from './primitives.ts'

/** The part of a track that a stem contains. */
export const StemKind = openEnum(['vocals', 'drums', 'bass', 'guitar', 'piano', 'instrumental', 'other'])

import { openEnum } from './primitives.ts'

/** What a stem holds of a track. */
export const StemKind = openEnum(['vocals', 'drums', 'bass', 'guitar', 'piano', 'instrumental', 'other'])

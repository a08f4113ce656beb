import { openEnum } from './primitives.ts'

export const StemKind = openEnum(['vocals', 'drums', 'bass', 'guitar', 'piano', 'instrumental', 'other'])

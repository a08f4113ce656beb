import { openEnum } from './primitives.ts'

/** What a tag says of a track. */
export const TagCategory = openEnum([
  'genre',
  'mood',
  'key',
  'bpm',
  'instrument',
  'energy',
  'vocal',
  'theme',
  'other',
])

import { openEnum } from './primitives.ts'

/** The property of a track that a tag describes. */
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

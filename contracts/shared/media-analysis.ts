import * as z from 'zod'
import { openEnum } from './primitives.ts'

/** Who is asked to analyse a version. `media_intelligence` is the analysis service. */
export const DispatchKind = openEnum(['media_intelligence'])

export const DispatchStatus = z.enum(['queued', 'dispatched', 'running', 'succeeded', 'failed'])

export const StemKind = openEnum(['vocals', 'drums', 'bass', 'guitar', 'piano', 'instrumental', 'other'])

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

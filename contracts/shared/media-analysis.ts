import * as z from 'zod'
import { openEnum } from './primitives.ts'

/** `media_intelligence` is the analysis service. */
export const DispatchKind = openEnum(['media_intelligence'])

export const DispatchStatus = z.enum(['queued', 'dispatched', 'running', 'succeeded', 'failed'])

export const StemKind = openEnum(['vocals', 'drums', 'bass', 'guitar', 'piano', 'instrumental', 'other'])

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

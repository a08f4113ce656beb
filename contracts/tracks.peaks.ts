import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, Timestamp } from './shared/primitives.ts'

/** A waveform in audiowaveform's format, version 2: `data` has a minimum and a maximum per pixel and channel. */
export const Peaks = z.object({
  trackId: Id,
  versionId: Id,
  assetId: Id,
  version: z.literal(2),
  channels: z.int().min(1),
  sampleRate: z.int().min(1),
  samplesPerPixel: z.int().min(1),
  bits: z.literal([8, 16]),
  length: Count,
  data: z.array(z.int()),
  durationMs: Count,
  createdAt: Timestamp,
})
export type Peaks = z.infer<typeof Peaks>

export const detail = defineContract('tracks.peaks.detail', {
  responses: { 200: Peaks },
  errors: ['peaks_not_found'],
})

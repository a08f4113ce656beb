import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, Timestamp } from './shared/primitives.ts'
import { query } from './shared/query.ts'

/**
 * A waveform in audiowaveform's format, version 2: `data` has a minimum and maximum per pixel and channel. On request,
 * it also has fields with that format's own names (`sample_rate`, `samples_per_pixel`), so libraries for the format can
 * load it as is. The core never sends those fields.
 */
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
  sample_rate: z.int().min(1).optional(),
  samples_per_pixel: z.int().min(1).optional(),
})

export const detail = defineContract('tracks.peaks.detail', {
  query: query(
    z.object({
      format: z.literal('audiowaveform').optional(),
      bits: z
        .enum(['8', '16'])
        .transform((bits) => (bits === '8' ? 8 : 16))
        .optional(),
    }),
  ),
  responses: { 200: Peaks },
  errors: ['peaks_not_found'],
})

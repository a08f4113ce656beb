import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, DateOnly, Id, page, Str, Timestamp } from './shared/primitives.ts'
import { paging, query } from './shared/query.ts'
import { Isrc, Iswc } from './shared/recording-codes.ts'

export const Track = z.object({
  id: Id,
  title: z.string(),
  artist: z.string(),
  isrc: z.string().nullable(),
  iswc: z.string().nullable(),
  releaseDate: DateOnly.nullable(),
  durationMs: Count.nullable(),
  currentVersionId: Id.nullable(),
  processingState: z.enum(['pending', 'processing', 'ready', 'failed']),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** `null` clears a code or the release date. */
export const trackFields = {
  title: Str(300),
  artist: Str(300),
  isrc: Isrc.nullable(),
  iswc: Iswc.nullable(),
  releaseDate: DateOnly.nullable(),
}

export const list = defineContract('tracks.list', {
  query: query(z.object(paging({ maxLimit: 200, defaultLimit: 50 }))),
  responses: { 200: page(Track) },
})

export const create = defineContract('tracks.create', {
  body: z.object({
    ...trackFields,
    isrc: trackFields.isrc.default(null),
    iswc: trackFields.iswc.default(null),
    releaseDate: trackFields.releaseDate.default(null),
  }),
  responses: { 201: Track },
  headers: { 201: { location: ({ body }) => `/v1/tracks/${body.id}` } },
})

export const detail = defineContract('tracks.detail', {
  responses: { 200: Track },
})

export const remove = defineContract('tracks.remove', {
  responses: { 204: null },
})

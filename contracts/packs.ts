import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, LongText, pageableRecords, partialUpdate, Str, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'

const Pack = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  trackCount: Count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const packFields = { name: Str(120), description: LongText(2000).nullable() }

export const list = defineContract('packs.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(Pack) },
})

export const create = defineContract('packs.create', {
  body: z.object({ ...packFields, description: packFields.description.default(null) }),
  responses: { 201: Pack },
  headers: { 201: { location: ({ body }) => `/v1/packs/${body.id}` } },
})

export const detail = defineContract('packs.detail', {
  responses: { 200: Pack },
})

export const update = defineContract('packs.update', {
  body: partialUpdate(packFields),
  responses: { 200: Pack },
})

export const remove = defineContract('packs.remove', {
  responses: { 204: null },
})

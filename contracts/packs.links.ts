import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id, Line, pageableRecords, Str, Timestamp, TimestampInput } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'
import { LinkStatus } from './shared/share-links.ts'

const PackLink = z.object({
  id: Id,
  packId: Id,
  slug: z.string(),
  name: z.string().nullable(),
  status: LinkStatus,
  requiresAccessCode: z.boolean(),
  downloadsEnabled: z.boolean(),
  expiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  sharePath: z.string().startsWith('/share/packs/'),
})

const ChosenSlug = z
  .string()
  .regex(/^[a-z0-9-]{3,64}$/, { error: 'must be 3 to 64 lower-case letters, digits and hyphens' })

export const list = defineContract('packs.links.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(PackLink) },
})

export const create = defineContract('packs.links.create', {
  body: z.object({
    name: Str(120).optional(),
    slug: ChosenSlug.optional(),
    accessCode: Line(4, 64).optional(),
    expiresAt: TimestampInput.optional(),
    disableDownloads: z.boolean().default(false),
  }),
  responses: { 201: PackLink },
  headers: { 201: { location: ({ params, body }) => `/v1/packs/${params.packId}/links/${body.id}` } },
  errors: ['slug_conflict'],
})

export const revoke = defineContract('packs.links.revoke', {
  responses: { 204: null },
  errors: ['pack_link_not_found'],
})

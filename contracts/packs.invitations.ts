import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { DeliveryStatus } from './shared/delivery-status.ts'
import { Email } from './shared/email.ts'
import { Id, pageableRecords, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'

const PackInvitation = z.object({
  id: Id,
  packId: Id,
  email: z.string(),
  status: DeliveryStatus,
  createdAt: Timestamp,
})

export const list = defineContract('packs.invitations.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(PackInvitation) },
})

export const create = defineContract('packs.invitations.create', {
  body: z.object({ email: Email }),
  responses: { 201: PackInvitation },
  limit: 'invitations',
  headers: { 201: { location: ({ params, body }) => `/v1/packs/${params.packId}/invitations/${body.id}` } },
})

import * as z from 'zod'
import { contract } from './shared/contract.ts'
import { DeliveryStatus } from './shared/delivery-status.ts'
import { Email, Id, records, Timestamp } from './shared/primitives.ts'

const PackInvitation = z.object({
  id: Id,
  packId: Id,
  email: z.string(),
  status: DeliveryStatus,
  createdAt: Timestamp,
})

export const list = contract('packs.invitations.list', {
  responses: { 200: records(PackInvitation) },
})

export const create = contract('packs.invitations.create', {
  body: z.object({ email: Email }),
  responses: { 201: PackInvitation },
})

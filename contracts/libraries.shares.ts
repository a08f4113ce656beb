import * as z from 'zod'
import { AccessGrade } from './libraries.ts'
import { defineContract } from './shared/contract.ts'
import { Email } from './shared/email.ts'
import { AccountId, Id, pageableRecords, partialUpdate, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'

export const LibraryShare = z.object({
  id: Id,
  libraryId: Id,
  targetUserId: z.string().nullable(),
  email: z.string().nullable(),
  accessType: z.enum([...AccessGrade.options, 'revoked']),
  inviteStatus: z.enum(['pending', 'accepted', 'declined', 'revoked']),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  respondedAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
})

export const list = defineContract('libraries.shares.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(LibraryShare) },
})

export const create = defineContract('libraries.shares.create', {
  body: z
    .object({ targetUserId: AccountId.optional(), email: Email.optional(), accessType: AccessGrade })
    .refine((invitee) => (invitee.targetUserId === undefined) !== (invitee.email === undefined), {
      error: 'must contain either targetUserId or email',
      path: ['targetUserId'],
    })
    .meta({ exactlyOneOf: ['targetUserId', 'email'] }),
  responses: { 201: LibraryShare },
  errors: ['library_share_conflict'],
})

export const update = defineContract('libraries.shares.update', {
  body: partialUpdate({ accessType: AccessGrade, inviteStatus: z.enum(['accepted', 'declined']) }),
  responses: { 200: LibraryShare },
  errors: ['library_share_not_found', 'library_share_not_active', 'library_share_conflict'],
})

export const revoke = defineContract('libraries.shares.revoke', {
  responses: { 204: null },
  errors: ['library_share_not_found'],
})

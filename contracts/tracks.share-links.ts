import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id, pageableRecords, SharePath, Timestamp, Token, TokenPreview } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'
import { LinkStatus, NewShareLink } from './shared/share-links.ts'

export const TrackShareLink = z.object({
  id: Id,
  trackId: Id,
  name: z.string().nullable(),
  status: LinkStatus,
  tokenPreview: TokenPreview,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const IssuedTrackShareLink = TrackShareLink.extend({ token: Token, sharePath: SharePath('tracks') })

export const list = defineContract('tracks.share-links.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(TrackShareLink) },
})

export const create = defineContract('tracks.share-links.create', {
  body: NewShareLink,
  responses: { 201: IssuedTrackShareLink },
  errors: ['quota_exceeded'],
})

export const reset = defineContract('tracks.share-links.reset', {
  responses: { 200: IssuedTrackShareLink },
  errors: ['share_link_not_found', 'share_link_not_active'],
})

export const revoke = defineContract('tracks.share-links.revoke', {
  responses: { 204: null },
  errors: ['share_link_not_found'],
})

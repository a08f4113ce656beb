import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id, pageableRecords, SharePath, Timestamp, Token, TokenPreview } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'
import { LinkStatus, NewShareLink } from './shared/share-links.ts'

const SplitSheetShareLink = z.object({
  id: Id,
  trackId: Id,
  name: z.string().nullable(),
  status: LinkStatus,
  tokenPreview: TokenPreview,
  expiresAt: Timestamp.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const IssuedSplitSheetShareLink = SplitSheetShareLink.extend({
  token: Token,
  sharePath: SharePath('split-sheets'),
})

export const list = defineContract('tracks.split-sheet.share-links.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(SplitSheetShareLink) },
})

export const create = defineContract('tracks.split-sheet.share-links.create', {
  body: NewShareLink,
  responses: { 201: IssuedSplitSheetShareLink },
  headers: {
    201: {
      location: ({ params, body }) => `/v1/tracks/${params.trackId}/split-sheet/share-links/${body.id}`,
    },
  },
  errors: ['split_sheet_not_found'],
})

export const revoke = defineContract('tracks.split-sheet.share-links.revoke', {
  responses: { 204: null },
  errors: ['share_link_not_found'],
})

import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id, Timestamp, TokenPreview } from './shared/primitives.ts'
import { ActiveLink } from './shared/share-links.ts'
import { SplitSheet } from './shared/split-sheet.ts'

export const SharedSplitSheet = z.object({
  link: ActiveLink.extend({
    tokenPreview: TokenPreview,
    trackId: Id,
    updatedAt: Timestamp,
    expiresAt: Timestamp.optional(),
  }),
  splitSheet: SplitSheet,
})

export const detail = defineContract('public.split-sheets.detail', {
  responses: { 200: SharedSplitSheet },
  limit: 'public-reads',
  errors: ['split_sheet_link_not_found'],
})

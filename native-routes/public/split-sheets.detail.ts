import { detail } from '#contracts/public.split-sheets.ts'
import { defineRoute } from '../define-route.ts'
import { presentSplitSheet } from '../tracks/present-split-sheet.ts'

export const showSharedSplitSheet = defineRoute(detail, async ({ link: { link, splitSheet } }) => {
  const { expiresAt, ...shown } = link
  return {
    link: { ...shown, status: 'active' as const, ...(expiresAt === null ? {} : { expiresAt }) },
    splitSheet: presentSplitSheet(link.trackId, splitSheet),
  }
})

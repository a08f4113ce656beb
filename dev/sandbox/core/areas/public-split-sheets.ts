import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { createRateLimiter, visitorKey } from '../rate-limit.ts'
import { hashPathToken, isActiveLink } from '../share-link.ts'
import { findSplitSheet } from './split-sheet.ts'
import { presentLink, type SplitSheetLinkRow } from './split-sheet-links.ts'

interface SharedSheetLink extends SplitSheetLinkRow {
  readonly trackId: string
}

export const publicSplitSheets: RegisterRoutes = (app, { sql, rates }) => {
  const reads = createRateLimiter(rates.publicReads)

  app.get('/v1/public/split-sheets/:token', async (request) => {
    reads.reserve(visitorKey(request, hashPathToken(request)))
    const [link] = await sql<SharedSheetLink[]>`
      select name, 'active' as status, token_preview, track_id, created_at, updated_at, expires_at
      from split_sheet_links where token_hash = ${hashPathToken(request)} and ${isActiveLink(sql)}`
    const splitSheet = link && (await findSplitSheet(sql, link.trackId))
    if (!splitSheet) throw new CoreError('split_sheet_link_not_found')
    return { link: presentLink(link), splitSheet }
  })
}

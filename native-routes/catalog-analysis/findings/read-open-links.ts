import {
  listOpenPackLinks,
  listOpenSplitSheetLinks,
  listOpenTrackLinks,
} from '#db/queries/catalog-analysis/catalog-links.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { maxAnalysed } from './thresholds.ts'

type PlayedLink =
  | Awaited<ReturnType<typeof listOpenTrackLinks>>[number]
  | Awaited<ReturnType<typeof listOpenPackLinks>>[number]

/** A link that still opens. Split sheet links have no `visits`. */
export interface OpenLink
  extends Pick<PlayedLink, 'id' | 'name' | 'targetId' | 'targetTitle' | 'expiresAt' | 'createdAt'> {
  readonly kind: 'track_link' | 'pack_link' | 'split_sheet_link'
  readonly visits: Pick<PlayedLink, 'issuedAt' | 'plays' | 'views' | 'isPlayable'> | null
}

const toOpenLink = (kind: OpenLink['kind'], link: PlayedLink): OpenLink => ({ ...link, kind, visits: link })

export const readOpenLinks = async ({ db, accountId, now }: ToolScope): Promise<readonly OpenLink[]> => {
  const at = now.toISOString()
  const [trackLinks, packLinks, splitSheetLinks] = await Promise.all([
    listOpenTrackLinks(db, accountId, at, maxAnalysed),
    listOpenPackLinks(db, accountId, at, maxAnalysed),
    listOpenSplitSheetLinks(db, accountId, at, maxAnalysed),
  ])
  return [
    ...trackLinks.map((link) => toOpenLink('track_link', link)),
    ...packLinks.map((link) => toOpenLink('pack_link', link)),
    ...splitSheetLinks.map((link) => ({ ...link, kind: 'split_sheet_link' as const, visits: null })),
  ]
}

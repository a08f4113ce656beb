import type { Finding } from '#contracts/shared/catalog-findings.ts'
import {
  listOpenPackLinks,
  listOpenSplitSheetLinks,
  listOpenTrackLinks,
} from '#db/queries/catalog-analysis/catalog-shares.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { maxAnalysed, thresholds } from './thresholds.ts'

type PlayedLink =
  | Awaited<ReturnType<typeof listOpenTrackLinks>>[number]
  | Awaited<ReturnType<typeof listOpenPackLinks>>[number]

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

const targetOf = { track_link: 'track', pack_link: 'pack', split_sheet_link: 'split sheet' } as const

export const subjectOfLink = ({ id, name, targetTitle, kind }: OpenLink) => ({
  type: 'share' as const,
  id,
  title: `${name ?? 'Link'}: ${targetOf[kind]} ${targetTitle}`,
})

const describeExpiry = (link: OpenLink, now: Date): Finding[] => {
  const { expiresAt, kind, visits } = link
  if (expiresAt === null || Date.parse(expiresAt) - now.valueOf() > thresholds.shareExpiresWithinMs) return []
  return [
    {
      kind: 'share_expiring',
      // Recipients would notice that a link they use no longer works.
      severity: visits !== null && visits.views + visits.plays > 0 ? 'warning' : 'info',
      subject: subjectOfLink(link),
      message: `The link to the ${targetOf[kind]} expires at ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.`,
      action: 'Create a new link, and send it to those who still need access.',
    },
  ]
}

const describeSilence = (link: OpenLink, now: Date): Finding[] => {
  const { kind, visits } = link
  // Tracks that cannot be played have a finding of their own.
  if (visits === null || visits.plays > 0 || !visits.isPlayable) return []
  if (now.valueOf() - Date.parse(visits.issuedAt) < thresholds.shareIsUnplayedAfterMs) return []
  const isViewed = visits.views > 0
  return [
    {
      kind: 'share_without_plays',
      severity: 'info',
      subject: subjectOfLink(link),
      message: isViewed
        ? `The link to the ${targetOf[kind]} was viewed ${visits.views} times but never played.`
        : `The link to the ${targetOf[kind]} was never opened.`,
      action: isViewed
        ? 'Ask the recipients for their opinion, or revoke the link.'
        : 'Remind the recipients, or revoke the link.',
    },
  ]
}

export const findShareFindings = (links: readonly OpenLink[], now: Date): Finding[] =>
  links.flatMap((link) => [...describeExpiry(link, now), ...describeSilence(link, now)])

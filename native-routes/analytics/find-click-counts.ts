import type { DaySpan, ReportSubject } from '#db/queries/analytics/engagement-reports.ts'
import { type ClickCount, countClicks, listLinkIds } from '#db/queries/analytics/link-clicks.ts'
import type { LinkRef, LinkTracking } from '../link-tracking.ts'
import type { ReadPorts } from '../ports.ts'

type ClickPorts = Pick<ReadPorts, 'db' | 'links' | 'log'>

const listLinkRefs = async ({ kind, id }: ReportSubject, { db }: ClickPorts): Promise<LinkRef[] | null> => {
  if (kind === 'owner') return null
  const linkIds = await listLinkIds(db.read, { kind, id })
  return linkIds.map((linkId): LinkRef => `${kind}_link:${linkId}`)
}

const countClicksAtProvider = async (
  tracking: Pick<LinkTracking, 'countClicks'>,
  ownerId: string,
  refs: LinkRef[] | null,
  span: DaySpan,
  { log }: ClickPorts,
) => {
  try {
    return await tracking.countClicks(ownerId, refs, span)
  } catch {
    log.warn({}, 'link provider clicks unavailable, using webhook clicks')
    return null
  }
}

/**
 * Returns the link provider's counts of the clicks on a subject's links. If no provider is configured, or it fails or
 * knows none of the links, returns the clicks that arrived by webhook. The two counts are never added together.
 */
export const findClickCounts = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: ClickPorts,
): Promise<readonly ClickCount[]> => {
  const { tracking } = ports.links
  const clicks =
    tracking &&
    (await countClicksAtProvider(tracking, ownerId, await listLinkRefs(subject, ports), span, ports))
  return clicks ?? countClicks(ports.db.read, ownerId, subject, span)
}

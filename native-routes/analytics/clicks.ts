import type { DaySpan, ReportSubject } from '#db/queries/engagement-reports.ts'
import { type ClickCount, countClicks, listLinkIdsOf } from '#db/queries/link-clicks.ts'
import type { LinkRef, LinkTracking } from '../link-tracking.ts'
import type { Ports } from '../ports.ts'

type ClickPorts = Pick<Ports, 'db' | 'links' | 'log'>

const refsOf = async ({ kind, id }: ReportSubject, { db }: ClickPorts): Promise<LinkRef[] | null> => {
  if (kind === 'owner') return null
  const linkIds = await listLinkIdsOf(db.read, { kind, id })
  return linkIds.map((linkId): LinkRef => `${kind}_link:${linkId}`)
}

const askProvider = async (
  tracking: LinkTracking,
  ownerId: string,
  refs: LinkRef[] | null,
  span: DaySpan,
  { log }: ClickPorts,
) => {
  try {
    return await tracking.countClicks(ownerId, refs, span)
  } catch {
    log.warn({}, 'the link provider could not say how often links were clicked')
    return null
  }
}

/**
 * The clicks on the links to something: as the link provider counts them now, or, where it is not configured, cannot
 * say or knows none of these links, as its webhook told them. The two are never added up.
 */
export const findClickCounts = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: ClickPorts,
): Promise<readonly ClickCount[]> => {
  const { tracking } = ports.links
  const counted =
    tracking && (await askProvider(tracking, ownerId, await refsOf(subject, ports), span, ports))
  return counted ?? countClicks(ports.db.read, ownerId, subject, span)
}

import { labels } from '#contracts/shared/row.ts'
import type { RouteView, RoutingView } from '#migration/model/routing-view.ts'

type RouteKind = 'native' | 'split' | 'forwarded' | 'not implemented' | 'killed'

const kindOf = (view: RouteView | undefined): RouteKind => {
  if (view === undefined) return 'not implemented'
  if (view.side === 'split') return 'split'
  if (view.reason === 'disabled') return 'killed'
  if (view.side === 'native') return 'native'
  return view.side === 'core' ? 'forwarded' : 'not implemented'
}

/** Summarizes how many routes each side serves: `63 native, 19 forwarded, 4 killed: billing.cancel, ...`. */
export const describeRoutes = ({ views }: RoutingView, hasCore: boolean): string => {
  const kinds = labels.map((label) => [label, kindOf(views.get(label))] as const)
  const count = (wanted: RouteKind) => kinds.filter(([, kind]) => kind === wanted).length
  const killed = kinds.flatMap(([label, kind]) => (kind === 'killed' ? [label] : []))
  const split = count('split')
  const counts = [
    `${count('native')} native`,
    ...(split === 0 ? [] : [`${split} split`]),
    hasCore ? `${count('forwarded')} forwarded` : `${count('not implemented')} not implemented`,
    `${killed.length} killed`,
  ].join(', ')
  return killed.length === 0 ? counts : `${counts}: ${killed.join(', ')}`
}

import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'

interface RouteSelection {
  readonly hasCore: boolean
  /** The labels in `GATEWAY_KILL`. */
  readonly disabledRoutes: ReadonlySet<Label>
}

/** Describes how many routes each side serves: `63 native, 19 forwarded, 4 killed: billing.cancel, ...`. */
export const describeRoutes = ({ hasCore, disabledRoutes }: RouteSelection): string => {
  const killed = labels.filter((label) => disabledRoutes.has(label))
  const forwarded = labels.filter((label) => !disabledRoutes.has(label) && rowOf(label).runtime === 'proxy')
  const native = labels.length - killed.length - forwarded.length
  const counts = [
    `${native} native`,
    `${forwarded.length} ${hasCore ? 'forwarded' : 'not implemented'}`,
    `${killed.length} killed`,
  ].join(', ')
  return killed.length === 0 ? counts : `${counts}: ${killed.join(', ')}`
}

import { formatColumns } from '#shared/format-columns.ts'
import { formatStage } from '../model/format-state.ts'
import { AccountResponse } from './responses.ts'
import { jsonFlag, readVerb, type Verb } from './verb.ts'
import { wrapText } from './wrap-text.ts'

type AccountRoute = AccountResponse['routes'][number]

const formatOverride = ({ override }: AccountRoute) => {
  if (override === null) return ''
  const { scope, side, until } = override
  return `override for ${scope}: ${side}${until === null ? '' : ` until ${until}`}`
}

const formatRoute = (route: AccountRoute) => [
  route.label,
  route.isDecidedByLink ? 'by link' : route.side,
  formatStage(route),
  route.bucket === null ? '' : String(route.bucket),
  route.since === null ? '' : route.since.slice(0, 19),
  formatOverride(route),
]

const formatAccount = ({ warnings, routes }: AccountResponse) =>
  [
    ...warnings.map(wrapText),
    formatColumns([['route', 'side', 'state', 'bucket', 'since', 'override'], ...routes.map(formatRoute)]),
  ].join('\n')

export const account: Verb = {
  takes: 'account ACCOUNT',
  means: 'which side serves an account for each route, and since when',
  async run(args, send) {
    const { takes, means } = account
    const { operandAt } = readVerb({ takes, means, flags: { json: jsonFlag }, required: 1 }, args)
    const json = await send(AccountResponse, 'GET', `/api/accounts/${encodeURIComponent(operandAt(0))}`)
    return { json, text: formatAccount(json) }
  },
}

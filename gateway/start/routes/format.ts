import { formatWeight } from '#migration/routing/explain-route.ts'
import { formatColumns } from './columns.ts'
import {
  type AuditResponse,
  type ChangeResponse,
  type ExplainResponse,
  type ListResponse,
  type OverridesResponse,
  State,
} from './responses.ts'

const formatStage = ({ stage, weightBp }: State) =>
  stage === 'canary' ? `canary ${formatWeight(weightBp)}` : (stage ?? '')

const formatSwitches = ({ killed, held }: State) =>
  [killed ? 'killed' : 'not killed', ...(held ? ['held'] : [])].join(', ')

type ListedRoute = ListResponse['routes'][number]

const listNotes = ({ isTwoSided, hasHandler, killedBy, heldBy }: ListedRoute) =>
  [
    killedBy && `killed by ${killedBy}`,
    heldBy && `held by ${heldBy}`,
    isTwoSided && !hasHandler && 'no handler',
  ].filter((note) => typeof note === 'string')

const formatRoute = (route: ListedRoute) => {
  const { label, isTwoSided, effects, state } = route
  return isTwoSided
    ? [label, formatStage(state), state.mode, effects, String(state.version), listNotes(route).join(', ')]
    : [label, 'native-only', '', effects, '', '']
}

/** The state of every route, as a table. */
export const formatList = ({ routes, invalid, epoch, instances }: ListResponse) =>
  [
    formatColumns([['route', 'state', 'mode', 'effects', 'version', 'notes'], ...routes.map(formatRoute)]),
    '',
    ...invalid.map(({ scope, problem }) => `the stored state of ${scope} is invalid: ${problem}`),
    `${instances.adopted}/${instances.live} instances at epoch ${epoch}`,
  ].join('\n')

/** What a change has led to, and how many instances have adopted it. */
export const formatChange = ({ state, epoch, adoption }: ChangeResponse) => {
  const { adopted, instances, ms, missing } = adoption
  return [
    ...(state
      ? [
          `${state.scope}: ${[formatStage(state), formatSwitches(state)].filter(Boolean).join(', ')} (version ${state.version})`,
        ]
      : []),
    `${adopted}/${instances} instances at epoch ${epoch}, ${ms} ms`,
    ...(missing.length > 0 ? [`not yet: ${missing.join(', ')}`] : []),
  ].join('\n')
}

/** Sentences that explain a route, or the state of an area. */
export const formatExplanation = ({ scope, state, explanation, routes = [] }: ExplainResponse) =>
  explanation
    ? explanation.sentences.join('\n')
    : `${scope} is ${formatSwitches(state)} (version ${state.version}) and contains: ${routes.join(', ')}.`

type AuditEntry = AuditResponse['entries'][number]

const formatMove = ({ before, after }: AuditEntry) => {
  const [from, to] = [before, after].map((state) => State.safeParse(state).data)
  if (!from || !to) return ''
  const [left, right] = [formatStage(from), formatStage(to)]
  return left === right ? left : `${left} -> ${right}`
}

/** The changes of routing, the newest first. */
export const formatAudit = ({ entries }: AuditResponse) =>
  formatColumns([
    ['epoch', 'at', 'who', 'scope', 'action', 'state', 'reason'],
    ...entries.map((entry) => {
      const { epoch, at, who, scope, action, reason } = entry
      return [String(epoch), at, who, scope, action, formatMove(entry), reason]
    }),
  ])

export const formatOverrides = ({ overrides }: OverridesResponse) =>
  formatColumns([
    ['account', 'scope', 'side', 'until', 'who', 'reason'],
    ...overrides.map(({ accountId, scope, side, until, who, reason }) => [
      accountId,
      scope,
      side,
      until ?? 'removed',
      who,
      reason,
    ]),
  ])

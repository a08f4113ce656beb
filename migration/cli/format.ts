import { formatColumns } from '#shared/format-columns.ts'
import { formatCommand } from '#shared/format-command.ts'
import { describeDemotion, formatStage } from '../model/format-state.ts'
import { explainRetirement } from '../model/retirement/retirement-conditions.ts'
import {
  type AccountResponse,
  type AuditResponse,
  type ChangeResponse,
  type ExplainResponse,
  type Instances,
  type ListResponse,
  type OverridesResponse,
  type PreviewResponse,
  State,
  type UsageResponse,
} from './responses.ts'

const lineWidth = 100

/** Wraps a text at 100 columns and indents every line except the first. */
export const wrapText = (text: string): string => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + word.length < lineWidth) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}

const listSwitches = ({ killed, held }: State) => [killed && 'killed', held && 'held'].filter(Boolean)

// Dozens of instances can be unknown after a rollout that killed them.
const maxNamed = 5

const formatUnknown = (unknown: Instances, epoch: number) => {
  if (unknown.length === 0) return []
  const [subject, they] =
    unknown.length === 1 ? ['1 instance has', 'it'] : [`${unknown.length} instances have`, 'they']
  const ages = unknown.map(({ lastReportAgeS }) => lastReportAgeS)
  const [least, most] = [Math.min(...ages), Math.max(...ages)]
  const isBehind = unknown.some((instance) => instance.epoch < epoch)
  const ids = unknown.slice(0, maxNamed).map(({ id }) => id)
  const others = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
  return [
    `${subject} not reported for ${least === most ? '' : `${least} to `}${most} s: ${ids.join(', ')}${others}; ${they} may still ${isBehind ? 'serve an older state' : 'run'}`,
  ]
}

const formatShare = (adopted: number, instances: number) =>
  `${adopted} of ${instances} instance${instances === 1 ? '' : 's'}`

type ListedRoute = ListResponse['routes'][number]

const formatKill = ({ label, killedHere, killedBy }: ListedRoute) => {
  if (killedHere) return 'killed by GATEWAY_KILL'
  if (killedBy === null) return null
  return killedBy === label ? 'killed' : `killed by ${killedBy}`
}

// A pause affects only routes that native may serve.
const canNativeServe = (route: ListedRoute) => {
  const { stage, weightBp } = route.fixedHere ?? route.state
  return weightBp > 0 && stage !== 'retired' && route.hasHandler && formatKill(route) === null
}

// Leaves out an area's hold, which `formatSwitchedScopes` shows once.
const listNotes = (route: ListedRoute) =>
  [
    formatKill(route),
    route.fixedHere && 'by GATEWAY_ROUTES',
    route.missingSettings === null ? route.isTwoSided && !route.hasHandler && 'no handler' : 'not configured',
    route.isStoppedHere && 'stopped here',
    route.isPausedHere && canNativeServe(route) && 'paused here',
    route.state.held && 'held',
    route.state.mode !== 'observe' && `mode ${route.state.mode}`,
  ].filter((note) => typeof note === 'string')

const formatRoute = (route: ListedRoute) => {
  const { label, isTwoSided, effects, state, fixedHere } = route
  const notes = listNotes(route).join(', ')
  return isTwoSided
    ? [label, formatStage(fixedHere ?? state), effects, String(state.version), notes]
    : [label, 'native-only', effects, '', notes]
}

const formatSwitchedScopes = (scopes: readonly State[]) =>
  scopes
    .filter(({ killed, held }) => killed || held)
    .map((state) => {
      const { scope, version } = state
      return `${scope} is ${listSwitches(state).join(' and ')} (version ${version})`
    })

/** Formats every route's state as a table, followed by the areas that are killed or held. */
export const formatList = ({ warnings, routes, scopes, invalid, epoch, instances }: ListResponse) =>
  [
    ...warnings.map(wrapText),
    formatColumns([['route', 'state', 'effects', 'version', 'notes'], ...routes.map(formatRoute)]),
    '',
    ...formatSwitchedScopes(scopes),
    ...invalid.map(({ scope, problem }) => `the stored state of ${scope} is invalid: ${problem}`),
    `${formatShare(instances.adopted, instances.live)} at epoch ${epoch}`,
    ...formatUnknown(instances.unknown, epoch),
  ].join('\n')

// An area has no stage, so without a kill or hold there is nothing else to show.
const formatState = (state: State) => {
  const parts = [formatStage(state), ...listSwitches(state)].filter(Boolean)
  return `${state.scope}: ${parts.join(', ') || 'neither killed nor held'} (version ${state.version})`
}

const formatAdoption = ({ adoption, epoch }: ChangeResponse) => {
  if (adoption === null)
    return [
      `stored at epoch ${epoch}, but the database stopped responding: ${formatCommand('routes', 'list')} shows how many instances have applied it`,
    ]
  const { adopted, instances, ms, missing, unknown } = adoption
  return [
    `applied on ${formatShare(adopted, instances)} in ${ms} ms`,
    ...(missing.length > 0 ? [`not yet: ${missing.join(', ')}`] : []),
    ...formatUnknown(unknown, epoch),
  ]
}

export const formatChange = (response: ChangeResponse) =>
  [
    ...(response.state ? [formatState(response.state)] : []),
    ...response.demoted.map((route) => `${formatState(route)}: ${describeDemotion(route)}`),
    ...response.warnings.map((warning) => wrapText(`warning: ${warning}`)),
    ...formatAdoption(response),
  ].join('\n')

export const formatPreview = ({ sentences, warnings }: PreviewResponse) =>
  [...sentences, ...warnings.map((warning) => `warning: ${warning}`)].map(wrapText).join('\n')

export const formatExplanation = ({
  scope,
  sentences,
  retirement = null,
}: Pick<ExplainResponse, 'sentences'> & Partial<ExplainResponse>) =>
  [...sentences, ...(retirement ? explainRetirement(scope ?? '', retirement) : [])].map(wrapText).join('\n')

type AuditEntry = AuditResponse['entries'][number]

const formatMove = ({ before, after }: AuditEntry) => {
  const [from, to] = [before, after].map((state) => State.safeParse(state).data)
  if (!from || !to) return ''
  const [left, right] = [formatStage(from), formatStage(to)]
  return left === right ? left : `${left} -> ${right}`
}

/** Formats routing changes, newest first. */
export const formatAudit = ({ entries }: AuditResponse) =>
  formatColumns([
    ['epoch', 'at', 'who', 'scope', 'action', 'state', 'reason'],
    ...entries.map((entry) => {
      const { epoch, at, who, scope, action, reason } = entry
      return [String(epoch), at.replace(/\.\d+/, ''), who, scope, action, formatMove(entry), reason]
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

type AccountRoute = AccountResponse['routes'][number]

const formatOverride = ({ override }: AccountRoute) => {
  if (override === null) return ''
  const { scope, side, until } = override
  return `override for ${scope}: ${side}${until === null ? '' : ` until ${until}`}`
}

const formatAccountRoute = (route: AccountRoute) => [
  route.label,
  route.isDecidedByLink ? 'by link' : route.side,
  formatStage(route),
  route.bucket === null ? '' : String(route.bucket),
  route.since === null ? '' : route.since.slice(0, 19),
  formatOverride(route),
]

/** Formats which side serves an account, by route. */
export const formatAccount = ({ warnings, routes }: AccountResponse) =>
  [
    ...warnings.map(wrapText),
    formatColumns([
      ['route', 'side', 'state', 'bucket', 'since', 'override'],
      ...routes.map(formatAccountRoute),
    ]),
  ].join('\n')

const formatShapes = ({ shapes, other }: UsageResponse['unmatched']) =>
  shapes.length === 0
    ? []
    : [
        '',
        formatColumns([
          ['unmatched', 'path', 'requests', 'last'],
          ...shapes.map(({ method, shape, requests, lastAt }) => [
            method,
            shape,
            String(requests),
            lastAt.slice(0, 19),
          ]),
          ['', 'other paths', String(other), ''],
        ]),
      ]

/** Formats what the core still serves, and the paths without a row. */
export const formatUsage = ({ sentences, unmatched }: UsageResponse) =>
  [...sentences.map(wrapText), ...formatShapes(unmatched)].join('\n')

import { formatColumns } from '#shared/format-columns.ts'
import { formatCommand } from '#shared/format-command.ts'
import { describeApplied, describeUnknown, formatShare } from '../model/applied-change.ts'
import { describeDemotion, formatStage } from '../model/format-state.ts'
import { explainRetirement } from '../model/retirement.ts'
import type {
  AccountResponse,
  AuditResponse,
  ChangeResponse,
  ExplainResponse,
  ListResponse,
  OverridesResponse,
  PreviewResponse,
  State,
  UsageResponse,
} from './responses.ts'

const lineWidth = 100

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

type ListedRoute = ListResponse['routes'][number]

// Skips notes that the state already shows: that a drill is running, or that another instance stopped the code. An
// area's hold is shown once, by `formatSwitchedScopes`.
const listNotes = ({ notes, state }: ListedRoute) =>
  notes
    .filter(({ kind }) => (kind === 'held' ? state.held : kind !== 'drill' && kind !== 'failed'))
    .map(({ text }) => text)

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

export const formatList = ({ warnings, routes, scopes, invalid, epoch, instances }: ListResponse) =>
  [
    ...warnings.map(wrapText),
    formatColumns([['route', 'state', 'effects', 'version', 'notes'], ...routes.map(formatRoute)]),
    '',
    ...formatSwitchedScopes(scopes),
    ...invalid.map(({ scope, problem }) => `the stored state of ${scope} is invalid: ${problem}`),
    `${formatShare(instances.adopted, instances.live)} at epoch ${epoch}`,
    ...describeUnknown(instances.unknown, epoch),
  ].join('\n')

// An area has no stage, so without a kill or hold there is nothing else to show.
const formatState = (state: State) => {
  const parts = [formatStage(state), ...listSwitches(state)].filter(Boolean)
  return `${state.scope}: ${parts.join(', ') || 'neither killed nor held'} (version ${state.version})`
}

export const formatChange = (response: ChangeResponse) =>
  [
    ...(response.state ? [formatState(response.state)] : []),
    ...response.demoted.map((route) => `${formatState(route)}: ${describeDemotion(route)}`),
    ...response.warnings.map((warning) => wrapText(`warning: ${warning}`)),
    ...describeApplied(response, formatCommand('routes', 'list')),
  ].join('\n')

export const formatPreview = ({ sentences, warnings }: PreviewResponse) =>
  [...sentences, ...warnings.map((warning) => `warning: ${warning}`)].map(wrapText).join('\n')

export const formatExplanation = ({
  scope,
  sentences,
  retirement = null,
}: Pick<ExplainResponse, 'sentences'> & Partial<ExplainResponse>) =>
  [...sentences, ...(retirement ? explainRetirement(scope ?? '', retirement) : [])].map(wrapText).join('\n')

export const formatAudit = ({ entries }: AuditResponse) =>
  formatColumns([
    ['epoch', 'at', 'who', 'scope', 'action', 'state', 'reason'],
    ...entries.map(({ epoch, at, who, scope, action, move, reason }) => [
      String(epoch),
      at.replace(/\.\d+/, ''),
      who,
      scope,
      action,
      move,
      reason,
    ]),
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
  return `override on ${scope}: ${side}${until === null ? '' : ` until ${until}`}`
}

const formatAccountRoute = (route: AccountRoute) => [
  route.label,
  route.isDecidedByLink ? 'by link' : route.side,
  formatStage(route),
  route.bucket === null ? '' : String(route.bucket),
  route.since === null ? '' : route.since.slice(0, 19),
  formatOverride(route),
]

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

export const formatUsage = ({ sentences, unmatched }: UsageResponse) =>
  [...sentences.map(wrapText), ...formatShapes(unmatched)].join('\n')

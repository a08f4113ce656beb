import { formatQuery } from '../../api/format-query.ts'
import { parsePercentage } from '../../model/format-state.ts'
import type { RouteState } from '../../model/route-state.ts'
import { ApiFailure } from '../api-client.ts'
import { routePath } from '../views/html.ts'

/** A change as the console passes it on: in the query of the confirmation page, then in the form's hidden fields. */
export interface ChangeFields {
  readonly kind: string
  readonly percent?: string | undefined
  readonly mode?: string | undefined
  readonly minutes?: string | undefined
}

export const changeTexts: Readonly<Record<string, { readonly button: string; readonly does: string }>> = {
  shadow: {
    button: 'Move to shadow',
    does: 'The core serves every request. Native serves copies of reads, and the responses are compared.',
  },
  ramp: {
    button: 'Change the percentage',
    does: 'Native serves this percentage of accounts; the core serves the rest.',
  },
  hold: { button: 'Hold', does: 'Automation neither promotes the route nor rolls it back.' },
  release: { button: 'Release', does: 'Automation may move the route again.' },
  kill: {
    button: 'Kill',
    does: 'The core immediately takes over every request, on every instance, whatever the state.',
  },
  resume: {
    button: 'Resume',
    does: 'The kill ends. The route returns to its earlier percentage, unless its code has changed or was stopped automatically.',
  },
  mode: { button: 'Change the mode', does: 'The mode decides how the route is promoted.' },
  drill: {
    button: 'Start a drill',
    does: 'Native serves the route without the core for this long, as if it were retired.',
  },
  retire: { button: 'Retire', does: 'Native serves the route without the core from now on.' },
}

const toWeight = (percent: string) => {
  const weightBp = parsePercentage(percent)
  if (weightBp !== null) return weightBp
  throw new ApiFailure(400, 'The percentage must be between 0 and 100, with at most two decimals.')
}

export const toApiChange = ({ kind, percent = '', mode, minutes }: ChangeFields) => {
  if (kind === 'drill') return { kind: 'retire', drillMinutes: Number(minutes) }
  if (kind === 'ramp') return { kind, weightBp: toWeight(percent) }
  return kind === 'mode' ? { kind, mode } : { kind }
}

export const changePath = (
  scope: string,
  fields: ChangeFields & { readonly version?: RouteState['version'] | undefined },
) => routePath(scope, `/change${formatQuery({ ...fields })}`)

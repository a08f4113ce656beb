import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Observation } from '../../diff/recorded-response.ts'
import type { ReadRecords } from './provider-records.ts'
import type { Scenario, ScenarioRequest } from './scenario.ts'

export interface Pair {
  readonly label: Label
  readonly scenario: string
  /** The request as sent to the side that prepared it; if both did, as sent to native. */
  readonly request: ScenarioRequest
  readonly native: Observation
  readonly core: Observation
  /** The status that the scenario expects; undefined for a read-back. */
  readonly expected?: number
  readonly coreRepeat?: Observation | undefined
  readonly isSameState?: true
  readonly usesGivenAccounts?: boolean
  /** The write whose stored result this pair shows. */
  readonly writtenBy?: Label
}

/**
 * The responses to one request: from the side that prepared the scenario, from the other side, and from the first side
 * again if the request was repeated.
 */
export interface RequestObservations {
  readonly request: ScenarioRequest
  readonly ownSide: Observation
  readonly otherSide?: Observation
  readonly repeat?: Observation
}

export interface ReadBack {
  readonly label: Label
  readonly observations: RequestObservations
}

export interface ScenarioRun {
  readonly observations: RequestObservations
  readonly reads: readonly ReadBack[]
  /** Set if the route reaches providers and the run can read what they hold. */
  readonly readRecords?: ReadRecords
}

export const isRead = (label: Label) => rowOf(label).method === 'GET'

type NamedPair = Pick<Pair, 'label' | 'scenario' | 'expected' | 'usesGivenAccounts'>

const createCrossPairs = (
  named: NamedPair,
  preparedByNative: RequestObservations,
  preparedByCore: RequestObservations,
): Pair[] => {
  const pairs: Pair[] = []
  if (preparedByNative.otherSide !== undefined)
    pairs.push({
      ...named,
      scenario: `${named.scenario} (prepared by native)`,
      request: preparedByNative.request,
      native: preparedByNative.ownSide,
      core: preparedByNative.otherSide,
      isSameState: true,
    })
  if (preparedByCore.otherSide !== undefined)
    pairs.push({
      ...named,
      scenario: `${named.scenario} (prepared by the core)`,
      request: preparedByCore.request,
      native: preparedByCore.otherSide,
      core: preparedByCore.ownSide,
      coreRepeat: preparedByCore.repeat,
      isSameState: true,
    })
  return pairs
}

export const createPairs = (
  { label, title, status }: Scenario,
  nativeRun: ScenarioRun,
  coreRun: ScenarioRun,
  hasFreshAccounts: boolean,
  isCompared: (label: Label) => boolean,
): Pair[] => {
  const named: NamedPair = {
    label,
    scenario: title,
    expected: status,
    usesGivenAccounts: !hasFreshAccounts,
  }
  const pairs = createCrossPairs(named, nativeRun.observations, coreRun.observations)
  // A given account's existing data shows in reads, but not in a write's response or an error.
  if (hasFreshAccounts || !isRead(label) || status >= 400)
    pairs.unshift({
      ...named,
      request: nativeRun.observations.request,
      native: nativeRun.observations.ownSide,
      core: coreRun.observations.ownSide,
    })
  const readsOfCore = [...coreRun.reads]
  for (const read of nativeRun.reads) {
    const index = readsOfCore.findIndex((other) => other.label === read.label)
    const [counterpart] = index < 0 ? [] : readsOfCore.splice(index, 1)
    if (counterpart === undefined) continue
    const [ours, theirs] = [read.observations, counterpart.observations]
    const readBack: NamedPair = { label: read.label, scenario: `${title}, then ${read.label}` }
    if (isCompared(read.label)) pairs.push(...createCrossPairs(readBack, ours, theirs))
    if (hasFreshAccounts)
      pairs.push({
        ...readBack,
        request: ours.request,
        native: ours.otherSide ?? ours.ownSide,
        core: theirs.ownSide,
        // If both sides serve the read, the cross pairs already contain the repeated response.
        coreRepeat: isCompared(read.label) ? undefined : theirs.repeat,
        writtenBy: label,
      })
  }
  return pairs
}

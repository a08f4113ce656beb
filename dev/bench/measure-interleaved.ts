import { reportStep } from './open-bench.ts'
import type { StartedProcess } from './start-process.ts'

export interface Peer extends StartedProcess {
  readonly name: string
}

export const currentGateway = 'crossfade'

/**
 * Measures every contestant once per round. Each round starts with a different one, so that order and slow phases of
 * the machine affect all of them alike. Samples are in round order.
 */
export const measureInterleaved = async <C extends { readonly name: string }, S>(
  contestants: readonly C[],
  rounds: number,
  measure: (contestant: C) => Promise<S>,
): Promise<ReadonlyMap<string, S[]>> => {
  const samples = new Map<string, S[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      reportStep(`round ${round + 1} of ${rounds}, ${contestant.name}`)
      samples.get(contestant.name)?.push(await measure(contestant))
    }
  }
  return samples
}

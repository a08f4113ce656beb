import type { StartedProcess } from './start-process.ts'

export interface Contestant extends StartedProcess {
  readonly name: string
}

/** The name of ours, which every other one is compared with. */
export const ours = 'crossfade'

/**
 * Measures every contestant once a round, each round beginning with another one, so that neither its place in the
 * order nor what else the machine did for a while falls on one alone. Values stand in the order of the rounds.
 */
export const interleaved = async <S>(
  contestants: readonly Contestant[],
  rounds: number,
  measure: (contestant: Contestant) => Promise<S>,
): Promise<ReadonlyMap<string, S[]>> => {
  const samples = new Map<string, S[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      process.stderr.write(`round ${round + 1} of ${rounds}: ${contestant.name}\n`)
      samples.get(contestant.name)?.push(await measure(contestant))
    }
  }
  return samples
}

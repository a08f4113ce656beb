interface ScrapedSample {
  /** Includes the suffix if the metric is a histogram. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What a scrape says about one metric. */
export interface ScrapedFamily {
  readonly help: string
  readonly type: string
  readonly samples: readonly ScrapedSample[]
}

const parseSample = (line: string): ScrapedSample => {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

export const parseMetrics = (text: string): ReadonlyMap<string, ScrapedFamily> => {
  const lines = text.split('\n')
  const read = (kind: 'HELP' | 'TYPE') =>
    new Map(
      lines.flatMap((line) => {
        const [, name, rest] = new RegExp(`^# ${kind} (\\w+) (.*)$`).exec(line) ?? []
        return name !== undefined && rest !== undefined ? [[name, rest] as const] : []
      }),
    )
  const helps = read('HELP')
  const samples = lines.filter((line) => /^\w/.test(line)).map(parseSample)
  return new Map(
    [...read('TYPE')].map(([name, type]) => {
      const names =
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name]
      const own = samples.filter((sample) => names.includes(sample.name))
      return [name, { help: helps.get(name) ?? '', type, samples: own }]
    }),
  )
}

/** The value of the sample with these labels; undefined if there is none. */
export const findValue = (
  families: ReadonlyMap<string, ScrapedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
) => {
  const all = [...families.values()].flatMap(({ samples }) => samples)
  return all.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  )?.value
}

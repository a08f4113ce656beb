import { listHistogram, type MetricFamily, type MetricsRegistry } from './metric-family.ts'

const escapeText = (value: string | number) =>
  String(value).replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))

const formatLabels = (labels: Readonly<Record<string, string | number>>) => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const listSamples = async (family: MetricFamily) =>
  family.type === 'histogram'
    ? family.collect().flatMap(listHistogram)
    : (await family.collect()).map(({ labels = {}, value }) => ({ suffix: '', labels, value }))

const formatFamily = async (family: MetricFamily) => {
  const { name, help, type } = family
  const samples = await listSamples(family)
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix, labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`),
    '',
  ].join('\n')
}

/** The registry of Workers: prom-client requires modules of Node. */
export const createTextRegistry = (): MetricsRegistry => {
  const registered: MetricFamily[] = []
  return {
    register: (families) => void registered.push(...families),
    format: async () => (await Promise.all(registered.map(formatFamily))).join(''),
  }
}

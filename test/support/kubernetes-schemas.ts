import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
}

interface Model {
  validate(): void
}

const models: readonly (new (data: never) => Model)[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  Service,
  ServiceAccount,
]

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const listFields = (value: object, path = ''): string[] =>
  Object.entries(value).flatMap(([key, child]) => [
    `${path}/${key}`,
    ...(isObject(child) ? listFields(child, `${path}/${key}`) : []),
  ])

const reportReads = <T extends object>(value: T, read: (path: string) => void, path = ''): T =>
  new Proxy(value, {
    get(target, key) {
      const child: unknown = Reflect.get(target, key)
      const childPath = `${path}/${String(key)}`
      read(childPath)
      return isObject(child) ? reportReads(child, read, childPath) : child
    },
  })

/**
 * Lists what an object's schema finds wrong with it. The Kubernetes schemas permit unknown fields, which the server
 * rejects or drops. So a field that the validator does not look at counts as a fault too.
 */
export const findFaults = (object: KubernetesObject): string[] => {
  const Model = models.find(({ name }) => name === object.kind)
  if (!Model) return [`${object.kind} has no schema in test/support/kubernetes-schemas.ts`]
  const unread = new Set(listFields(object))
  try {
    const model = new Model(object as never)
    Model.prototype.validate.call(reportReads(model, (path) => unread.delete(path)))
  } catch (error) {
    return [String(error)]
  }
  return [...unread].map((path) => `${path} is no field`)
}

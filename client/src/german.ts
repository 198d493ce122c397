/** @module The texts of `<Consent>` and `<Inspector>` in German: `import { consent, inspector } from '@murmuration/client/german'`. */

import type { ConsentTexts } from './consent/texts.ts';
import type { Texts } from './inspector/texts.ts';

export const consent: ConsentTexts = {
  language: 'de',
  title: 'Zufällig veränderte Antworten teilen',
  question: 'Dürfen wir erfahren, wie Sie diese App verwenden? Ihre Antworten werden zufällig verändert, bevor sie dieses Gerät verlassen.',
  share: 'Teilen',
  refuse: 'Nicht teilen',
  inspect: 'Was wird gefragt und gesendet?',
  shared: 'Sie teilen zufällig veränderte Antworten.',
  refused: 'Sie teilen nichts.',
};

const RENEWED = { week: 'eine Woche', month: 'einen Monat', year: 'ein Jahr' } as const;

export const inspector: Texts = {
  language: 'de',
  title: 'Was diese App fragt und was sie sendet',
  introduction: 'Ihre Antwort wird zufällig verändert, bevor sie dieses Gerät verlässt.',
  unsure:
    'Deshalb kann niemand, der einen Bericht sieht, sicher sein, was Sie gesagt haben, auch nicht die Hersteller dieser App. Mehrere Berichte lassen weniger Zweifel. Die Berichte vieler Menschen zusammen zeigen, wie viele welche Antwort geben.',
  nearlySure: 'Bei einigen dieser Fragen geschieht das aber selten, und ein Bericht sagt fast immer, was Sie gesagt haben.',
  close: 'Schließen',

  share: 'Zufällig veränderte Antworten teilen',
  unknown: 'Es wird gelesen, was dieses Gerät gespeichert hat.',
  ask: 'Aus. Sie haben noch nicht entschieden. Bis dahin wird nichts gespeichert und nichts gesendet.',
  granted: 'Ein. Antworten verlassen dieses Gerät erst, nachdem sie zufällig verändert wurden.',
  denied: 'Aus. Es wird nichts gesendet.',
  nothingStored: 'Es ist nichts gespeichert.',
  decisionStored: 'Was gesendet werden sollte, ist gelöscht. Dieses Gerät behält Ihre Entscheidung.',
  datesStored:
    'Was gesendet werden sollte, ist gelöscht. Dieses Gerät behält Ihre Entscheidung und die Tage, bis zu denen nichts erneut gefragt wird.',
  answerStored: (questions) => `Es behält auch eine Antwort auf ${questions}, die zufällig verändert wurde, als Sie sie gaben.`,

  asked: 'Was gefragt wird',
  often: {
    once: 'Wird einmal gefragt.',
    day: 'Wird jeden Tag gefragt.',
    week: 'Wird jede Woche gefragt.',
    month: 'Wird jeden Monat gefragt.',
    year: 'Wird jedes Jahr gefragt.',
  },
  again: (answered, next) => `Beantwortet am ${answered}. Wird ab ${next} wieder gefragt.`,
  last: (answered) => `Beantwortet am ${answered}. Wird nicht wieder gefragt.`,
  notBefore: (next) => `Wird nicht vor dem ${next} gefragt.`,
  ended: 'Diese Frage ist beendet.',
  due: (day) => `Der Bericht wird am ${day} oder später gesendet, ob Sie antworten oder nicht.`,
  otherwise: (answer) =>
    `Wenn Sie nicht antworten, wird an Ihrer Stelle „${answer}“ gesendet, ebenfalls zufällig verändert. Ein Bericht zeigt deshalb nicht, dass Sie geantwortet haben.`,
  other: (count, cases) => `In ${count} von ${cases} Fällen sagt der Bericht etwas anderes als Ihre Antwort.`,
  without: (answers, count, cases) => `Ein Bericht nennt ${answers} Antworten. In ${count} von ${cases} Fällen ist Ihre nicht darunter.`,
  several: (count, cases) => `Ein Bericht nennt mehrere Antworten. In ${count} von ${cases} Fällen ist Ihre nicht darunter.`,
  noise: 'Jedem Bericht wird zufälliges Rauschen beigemischt.',
  why: (count, cases) => `Das muss nicht Ihre Antwort sein: In ${count} von ${cases} Fällen wird sie zufällig verändert.`,
  whySeveral: (count, cases) => `Ihre muss nicht darunter sein: In ${count} von ${cases} Fällen fehlt sie zufällig.`,
  atMost: (times) => `Wer ihn sieht, kann einer Antwort gegenüber einer anderen höchstens ${times}-mal so sicher sein wie zuvor.`,
  eachAtMost: (times) =>
    `Wer einen Bericht sieht, kann einer Antwort gegenüber einer anderen höchstens ${times}-mal so sicher sein wie zuvor.`,
  together: (times, renew) =>
    renew === 'never'
      ? `Wer alle Berichte dazu sieht, kann höchstens ${times}-mal so sicher sein.`
      : `Ihre veränderte Antwort wird für ${RENEWED[renew]} gespeichert, und die Berichte dieser Zeit wiederholen sie: Wer alle sieht, kann höchstens ${times}-mal so sicher sein.`,

  quote: (text) => `„${text}“`,
  yes: 'ja',
  no: 'nein',
  below: (number) => `weniger als ${number}`,
  between: (low, high) => `${low} bis ${high}`,
  from: (number) => `${number} oder mehr`,

  try: 'Ausprobieren: Was wäre gesendet worden?',
  trying: 'Das wirft dieselben Münzen wie ein echter Bericht. Nichts wird aufgezeichnet, gespeichert oder gesendet.',
  yourAnswer: 'Ihre Antwort',
  flip: 'Münzen werfen',
  tried: (count, tries) => `In ${count} von ${tries} ${tries === '1' ? 'Versuch' : 'Versuchen'} fehlte diese Antwort.`,
  untried: 'Dieses Gerät hat keine Quelle für Zufallszahlen, deshalb wäre nichts gesendet worden.',

  waiting: 'Was als Nächstes gesendet wird',
  nothing: 'Nichts wartet darauf, gesendet zu werden.',
  clear: (segments) =>
    `Unverändert wird mit jedem Bericht gesendet: Name und Version dieser Fragen, welche davon er betrifft, ein Tag, eine Zufallszahl${segments ? ` und die Gruppe, zu der dieses Gerät gehört: ${segments}` : ''}. Wer ihn empfängt, sieht auch die Adresse dieser Verbindung und was der Browser über sich sagt, wie bei jeder Seite.`,
  batched: 'Von Berichten, die zusammen gesendet werden, ist bekannt, dass sie von einem Gerät stammen.',
  segments: (segments) => `Unverändert geht die Gruppe dieses Geräts mit: ${segments}.`,
  waits: (day) => `Wartet bis ${day} oder länger.`,
  bytes: (count, url) => `Genau diese ${count} Bytes gehen an ${url}`,

  sent: 'Was gesendet wurde',
  nothingSent: 'Es wurde noch nichts gesendet.',
  nothingListed: 'Die Liste ist leer. Sie enthält, was ankam, seit das Teilen eingeschaltet ist.',
  noHistory: 'Diese App führt keine Liste dessen, was sie gesendet hat. Nur die Tage oben bleiben gespeichert.',
  says: (answers) => `Der Bericht sagt ${answers}.`,
  saysNothing: 'Der Bericht ist Rauschen, das allein nichts sagt.',
  others: (count) => `${count} andere`,

  details: 'Einzelheiten',
  epsilon:
    'ε (Epsilon) misst, wie viel ein Bericht verraten kann. Er verändert die Chancen zwischen zwei Antworten höchstens um den Faktor e hoch ε. Jeder Bericht verbraucht einen Teil eines Budgets; ist es verbraucht, wird nichts mehr gefragt.',
  budget: 'Budget',
  spent: (spent, budget, days) => `ε\u00a0${spent} von ${budget} ist verbraucht, in je ${days === '1' ? 'einem Tag' : `${days} Tagen`}.`,
  all: (days, times) =>
    `Alles, was in ${days === '1' ? 'einem Tag' : `${days} Tagen`} gesendet wird, verändert die Chancen zwischen zwei Reihen von Antworten höchstens um das ${times}-Fache.`,
  year: (epsilon) => `Ein Jahr, in dem alles beantwortet wird, ergibt höchstens ε\u00a0${epsilon}.`,
  question: (epsilon, spent) => `ε\u00a0${epsilon} je Bericht, ${spent} jetzt verbraucht`,
  permanent: (epsilon) => `; alle Berichte aus einer Antwort zusammen ε\u00a0${epsilon}`,

  erasing: 'Löschen',
  erase: 'Gespeichertes löschen',
  confirm:
    'Das löscht, was über Ihre Antworten gespeichert ist, und schaltet das Teilen aus. Ihre Entscheidung und die Tage, bis zu denen nichts erneut gefragt wird, bleiben. Was gesendet wurde, kann nicht zurückgeholt werden.',
  eraseNow: 'Jetzt löschen',
  cancel: 'Abbrechen',
};

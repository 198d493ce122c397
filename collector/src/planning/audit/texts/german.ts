/** The privacy statement in German. */

import { bucketLabels, isListPart, PERIOD_DAYS } from '@murmuration/shared';
import { shortfallOf } from '../../../estimation/questions.ts';
import { otherwiseInWords } from '../../../schemas/compare.ts';
import type { Renewal, StatementTexts } from './texts.ts';

const SHOWN = 6; // the number of answers that are listed

const listed = (answers: readonly string[]): string =>
  answers.length <= SHOWN ? answers.join(', ') : `eine aus einer Liste von ${answers.length}`;

/** A decimal comma, and a full stop between thousands. */
const marked = (text: string): string => text.replaceAll(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));

const ANY_TEXT = 'ein beliebiger Text, von dem nur zufällig veränderte Bits einer Prüfsumme (Hash) das Gerät verlassen';

const REPEATED: { readonly [renew in Renewal]: string } = {
  week: 'eine Woche lang aufbewahrt',
  month: 'einen Monat lang aufbewahrt',
  year: 'ein Jahr lang aufbewahrt',
  never: 'aufbewahrt',
};

export const german: StatementTexts = {
  number: marked,
  title: (app, version) => `Was ${app} fragt und was die Berichte verraten (Version ${version})`,
  introduction:
    'Jede Antwort wird auf dem Gerät zufällig verändert, bevor sie gespeichert oder gesendet wird: Ein Bericht nennt die wahre Antwort oder eine andere, je nach Zufall. Wie viel ein Bericht dennoch verrät, steht bei jeder Frage. Aus vielen Berichten wird geschätzt, welcher Anteil auf jede Antwort entfällt.',
  coin: 'Angegeben ist das als ein Vielfaches. Ein Beispiel mit einer Münze: Sie werden nach Ja oder Nein gefragt und werfen eine Münze. Bei Kopf sagen Sie die Wahrheit. Bei Zahl werfen Sie noch einmal und sagen bei Kopf Ja, bei Zahl Nein. Ein „Ja“ kommt dann von 3 von 4 Menschen, deren wahre Antwort Ja ist, und von 1 von 4, deren wahre Antwort Nein ist. Wer es hört, kann sich also 3-mal so sicher sein wie zuvor, dass Ja statt Nein stimmt, aber nicht gewiss. 1,0-mal würde nichts verraten. 100-mal verrät fast alles: Von zwei Antworten, die zuvor gleich wahrscheinlich waren, kennt man die wahre dann mit 99 %. 10^20 ist eine 1 mit 20 Nullen.',
  assigned:
    'Jedes Gerät wird nur einen Teil dieser Fragen gefragt, den der Zufall bestimmt und nie eine Antwort: so viele, wie in sein Budget passen.',

  question: (often, answers) => `Gefragt wird ${often}. Antworten: ${answers}.`,
  often: (every) =>
    every === 'once' ? 'einmal' : every === 'day' ? 'höchstens einmal am Tag' : `höchstens einmal in ${PERIOD_DAYS[every]} Tagen`,
  answers: {
    flag: () => 'ja oder nein',
    choice: ({ answers }) => listed(answers),
    choices: ({ atMost, answers }) => `bis zu ${atMost} von diesen, zufällig gezogen, wenn es mehr sind: ${listed(answers)}`,
    best: (metric) =>
      `eine der Möglichkeiten ${listed(metric.options)}, zufällig gezogen, und umso wahrscheinlicher, je besser sie zu dem von ${metric.inputs.length} Fällen passt, der zutrifft; in neunzehn von zwanzig Fällen liegt ihr Wert höchstens ${marked(`${shortfallOf(metric, 0.05)}`)} unter dem besten`,
    joint: ({ questions }) =>
      questions.map((part) => `${part.name} (${isListPart(part) ? `eine von ${part.answers.length}` : ANY_TEXT})`).join(' zusammen mit '),
    histogram: ({ edges }) => `der Bereich, in dem eine Zahl liegt: ${listed(bucketLabels(edges))}`,
    text: () => ANY_TEXT,
    discover: ({ longest }) =>
      `ein beliebiger Text, von dem die ersten ${longest} Bytes zählen; nur eine zufällig veränderte Prüfsumme (Hash) seines Anfangs verlässt das Gerät`,
    mean: ({ range: [low, high] }) =>
      `eine Zahl von ${marked(`${low}`)} bis ${marked(`${high}`)}; aus vielen Berichten wird der Mittelwert geschätzt`,
    count: ({ max }) => `eine Anzahl von 0 bis ${max}; aus vielen Berichten wird der Mittelwert geschätzt`,
    distribution: ({ range: [low, high], cells }) =>
      `eine Zahl von ${marked(`${low}`)} bis ${marked(`${high}`)}, in einem von ${cells} Teilen dieses Bereichs`,
  },
  unlisted:
    'Eine Antwort, die nicht auf der Liste steht, sendet nichts. Dass ein Bericht kommt, verrät deshalb, dass die Antwort auf der Liste stand.',
  otherwise: (otherwise) => {
    if (typeof otherwise === 'boolean') return otherwise ? 'ja' : 'nein';
    if (Array.isArray(otherwise) && otherwise.length === 0) return 'keine davon';
    return otherwise === '' ? 'ein leerer Text' : otherwiseInWords(otherwise);
  },
  standIn: (otherwise) =>
    `Wenn Sie nicht antworten, wird an Ihrer Stelle dies gesendet, ebenso zufällig verändert wie eine Antwort: ${otherwise}. Dass ein Bericht kommt, verrät deshalb nicht, dass Sie geantwortet haben; was er sagt, kann es verraten, innerhalb der folgenden Grenze.`,
  report: (times) =>
    `Wer einen Bericht sieht, kann sich einer Antwort gegenüber einer anderen höchstens ${times}-mal so sicher sein wie zuvor.`,
  guess: (before, most) =>
    `Waren zuvor alle Antworten gleich wahrscheinlich (je ${before}), ist danach eine davon mit einer Wahrscheinlichkeit von höchstens ${most} die wahre.`,
  longer: (year, life) =>
    `Alle Berichte aus beliebigen 365 Tagen zusammen: höchstens ${year}-mal; aus beliebigen 3.650 Tagen: ${life}-mal.`,
  permanent: (renew, hasOtherwise, times) =>
    `${hasOtherwise ? 'Die erste Antwort, oder was an ihrer Stelle gesendet wird,' : 'Die erste Antwort'} wird einmal zufällig verändert und ${REPEATED[renew]}; spätere Berichte wiederholen nur sie, noch einmal zufällig verändert. ${renew === 'never' ? 'Alle Berichte, die es zu einer Fassung der Frage je gibt, zusammen' : 'Alle Berichte, die eine aufbewahrte Antwort wiederholen, zusammen'}: höchstens ${times}-mal.`,
  owner: (owner) => (owner === undefined ? 'Es ist niemand genannt, der dafür zuständig ist.' : `Zuständig: ${owner}.`),
  expires: (day) => (day === undefined ? 'Es ist kein Tag festgelegt, an dem die Frage endet.' : `Gebraucht bis ${day}.`),
  published: 'Die Schätzungen darf jeder sehen.',

  window: (days, times) =>
    `Wer alles sieht, was eine Installation für die Antwortzeiten sendet, die ${days === 1 ? 'an einem beliebigen Tag' : `in beliebigen ${days} aufeinanderfolgenden Tagen`} beginnen, kann sich einer Reihe von Antworten gegenüber einer anderen höchstens ${times}-mal so sicher sein wie zuvor.`,
  bounded: 'Das ist ihr Budget: Es wird nicht mehr gefragt, als hineinpasst.',
  recorded: (days, times) =>
    `Eine Antwortzeit kann an einem anderen Tag beginnen als dem, an dem Sie antworten. Die Antworten ${days === 1 ? 'eines Tages' : `von ${days} Tagen`} können deshalb auf eine Antwortzeit mehr einer Frage fallen: Die vom letzten Tag der einen und vom ersten Tag der nächsten sind zwei Berichte. Nach Tagen des Antwortens gezählt ist es höchstens das ${times}-Fache.`,
  all: (year, life, versions) =>
    `Alle Fragen zusammen: höchstens ${year}-mal für die Antwortzeiten, die in beliebigen 365 Tagen beginnen, und ${life}-mal in beliebigen 3.650 Tagen${versions.length === 0 ? '' : `, einschließlich der ${versions.length > 1 ? 'Versionen' : 'Version'} ${versions.join(', ')} vor dieser`}.`,
  inClear: (segments) =>
    `Unverändert wird mit jeder Sendung übertragen: Name und Version dieser Fragen und eine Prüfsumme davon, eine eigene Zufallszahl, die Namen der beantworteten Fragen, ein Tag, an dem die Antwortzeit begann oder ein späterer${segments && `, und ${segments}`}.`,
  batches: {
    alone: 'Jeder Bericht ist eine eigene Sendung.',
    together: 'Die Berichte einer Sendung kommen zusammen an, und es ist bekannt, dass sie von einem Gerät stammen.',
  },
  upload: {
    direct:
      'Die Übertragung zeigt auch den öffentlichen Schlüssel der App und, wie jede Verbindung, die Adresse des Geräts und was sein Browser oder System über sich sagt, etwa eine Version und eine Sprache. Nichts in einer Sendung nennt die Person oder das Gerät.',
    relay:
      'Die Übertragung läuft über einen Vermittler (Relay). Er sieht die Adresse des Geräts, wie sie jede Verbindung zeigt, und kann den Bericht nicht lesen. Wer den Bericht liest, sieht weder die Adresse noch was Browser oder System über sich sagen, nur den öffentlichen Schlüssel der App. Arbeiten beide zusammen, wissen sie beides. Nichts in einer Sendung nennt die Person oder das Gerät.',
  },
  installation:
    'Eine Installation ist der Speicher, den eine Herkunft (Origin; in einer App: ein Gerät) für einen App-Namen hält, bis er gelöscht wird. Ein anderer Browser, ein anderes Profil oder Gerät, eine umbenannte App und ein gelöschter Speicher sind andere Installationen: Jede hat dieses Budget für sich und fragt neu.',
  activity:
    'Zwei Reihen von Antworten werden hier nur bei gleicher Aktivität verglichen: wann die App läuft, welche Fragen ohne Ersatzantwort beantwortet werden und ob die Antwort auf der Liste stand. Das ist sichtbar, und auch, dass eine Installation überhaupt berichtet. Ebenfalls nicht erfasst: mehrere Installationen einer Person; ein Gerät, dessen Uhr vorgestellt wird und das Antwortzeiten dadurch zu früh beginnt.',
};

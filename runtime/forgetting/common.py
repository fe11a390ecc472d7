"""Words that everybody uses of everything: a text that shares only these with a fact does not carry the fact."""

from __future__ import annotations

from ..archive.terms import is_cjk, terms

_ENGLISH = """
00 000 accept account across act action active actual add address afraid age ago agree air allergen allergic allergy
allow almost alone already always amount angry animal another answer anybody anyone anything anywhere apartment appear
apply appointment april area arm around arrive art ask august aunt available away baby back bad bag bank base bath
beach beautiful become bed begin behind believe best better big bike bill bird birthday black block blood blue board
boat body book boss bother bottle box boy boyfriend break breakfast bring brother brown build building business busy
buy bye call camera car card care carries carry case cat catch cause certain chair change cheap check child children
choice choose city class clean clear close cloth coat code coffee cold colleague college color colour come common
company complete computer consider contact contain content continue control cook cool corner correct cost country
couple course cousin cover create cry cup current customer cut dad daily dark date daughter day dead deal dear death
december decide decision deep depend describe design desk detail develop diagnose diagnosis die diet difference
different difficult dinner direct disease doctor dog dollar door draw dream dress drink drive drop dry due early earn
earth easy eat education effect egg eight either eleven email employee end enjoy enough enter entire especially euro
even evening event everyone everything exactly example except exercise expect expensive experience explain express eye
face fact fall family famous far fast father favorite favourite fear february feed feel few field fight figure file
fill film final finally find fine finish fire first fish fit five fix flat flight floor fly focus follow food foot
force foreign forget form former forward four free fresh friday friend front fruit full fun funny future game garden
general get girl girlfriend give glad glass go goal gold good grandfather grandmother great green grey ground group
grow guess guest guy habit hair half hand handle hang happen happy hard hate head health hear heart heavy height hello
help hey hi high history hit hobby hold holiday home hope horse hospital hot hotel hour house huge human hundred hurt
husband ice idea ill illness imagine important improve include income increase info information inside instead
interest interested issue item january job join joke juice july jump june keep key kid kill kind kitchen know
knowledge label lack lady land language large last late laugh law lawyer lead learn least leave left leg less lesson
letter level lie life light like limit line list listen little live local long look lose lot loud love low lunch
machine main major make male man manage manager march mark market married marry matter maybe mean measure meat medical
medicine meet meeting member memory mention message middle mile milk million mind minute miss mistake mix model mom
moment monday money month mood morning mother mouth move movie much multiple mum music name nature near nearly need
neighbour nephew never new news next nice niece night nine nobody noise none normal north note nothing notice november
number object occur october offer office often oil ok okay old one open opinion option orange order organise original
outside own page pain paint pair paper parent park part partner party pass passport password past pay pen people
percent perfect perhaps period person persona personal pet phone photo pick picture piece pink place plan plant play
please point police poor popular possible pound power practice prefer preference prepare present press pretty price
print private probably problem process produce product program project promise protect proud prove provide public pull
purple purpose push put quality query question quick quickly quiet race rain raise ran reach read ready real really
reason receive recent recently recipe recommend record red relationship relax remain remember remind rent repeat
replace report request require rest restaurant result return rice rich ride right ring rise river road rock room rule
run sad safe salary sale salt same saturday sauce save say school science sea season seat second secret see seem sell
send sense september serious serve service set seven several severe share shift ship shirt shoe shop short show shower
shut sick side sign similar simple simply since sing single sister sit site situation six size skill skin sleep slow
small smart smell smile snow social somebody someone something sometimes somewhere son song soon sorry sort sound
south space speak special specific speed spell spend sport spring square staff stand star start state station stay
step still stop store story straight strange street stress strong student study stuff style subject success suddenly
sugar suggest suit summer sun sunday support suppose sure surgery surprise sweet swim system table tag take talk tall
task taste tax tea teach teacher team tell ten test thank thanks thing think third thirty thousand three throw
thursday ticket tie time tired today together tomorrow tonight tool top topic total touch tour toward town train
training travel treat treatment tree trip trouble true trust try tuesday turn tv twelve twenty twice two type uncle
understand unit university use used useful user using usual usually vacation value various vegetable version view
village visit voice wait wake walk wall want war warm warn wash watch water way weak wear weather wedding wednesday
week weekend weight weird welcome west white whole wide wife wild win wind window winter wish within without woman
wonder wood word work worker world worry worse worst worth write wrong yard yeah year yellow yes yesterday young zero
"""

_CHINESE = """
丈夫 东西 中国 事情 今天 今年 健康 儿子 先生 公司 决定 准备 办法 医生 医院 号码 吃药 吃饭 名字 后天
周五 周六 周四 周日 哥哥 喜欢 喝茶 国家 地址 城市 大家 天气 女儿 女士 好吃 如果 妈妈 妹妹 妻子 姐姐
学习 学校 学生 孩子 家人 家里 工作 已经 希望 应该 开始 弟弟 忘掉 忘记 意思 手机 打算 换成 推荐 改成
数据 文件 旅游 时候 时间 明天 明年 星期 昨天 最喜 最近 朋友 欢吃 欢喝 母亲 每天 比较 然后 父亲 爸爸
特别 生日 生病 电脑 电话 看看 知道 经常 结婚 结束 老公 老婆 老师 而且 自己 觉得 计划 讨厌 记住 记得
谢谢 身体 问题 随身 非常 项目 餐厅
"""

_PARTICLES = frozenset(
    "我你您他她它的了是在有不没和也都很就对吗呢吧啊这那哪个们会要能到说去来着过把被给让跟与及或一二三多少什么怎为从以用叫想请"
)
"""A pair with one of these is the seam between two words, or a phrase that says little."""

_COMMON = frozenset([*terms(_ENGLISH), *_CHINESE.split()])


def is_common(term: str) -> bool:
    """Whether a term (archive/terms.py) is a common word."""
    return term in _COMMON or (is_cjk(term) and not _PARTICLES.isdisjoint(term))

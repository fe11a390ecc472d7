"""English words that carry no subject, as the tokenizer gives them. They are neither indexed nor asked."""

_WORDS = """
a about above after again against all am an and any are aren arent as at be because been before being below between
both but by can cannot cant could couldn couldnt did didn didnt do does doesn doesnt doing don dont down during each
few for from further had hadn hadnt has hasn hasnt have haven havent having he hed hell her here heres hers herself
hes him himself his how hows i id if ill im in into is isn isnt it its itself ive just let lets me more most mustn
my myself no nor not now of off on once only or other ought our ours ourselves out over own re same shan she shed
shell shes should shouldn shouldnt so some such than that thats the their theirs them themselves then there theres
these they theyd theyll theyre theyve this those through to too under until up us very was wasn wasnt we wed well
were weren werent weve what whats when whens where wheres which while who whom whos whose why whys will with won
wont would wouldn wouldnt you youd youll your youre yours yourself yourselves youve
also ever many may might much must quite rather really shall since still upon yet
"""

STOPWORDS = frozenset(_WORDS.split())

PARTICLES = frozenset(
    "的了是在我你您他她它们这那有和与也就都而及或个吗呢吧啊么什哪谁怎为多少几请问之其把被给让跟对从到呀哦"
)
"""Chinese characters that carry no subject by themselves. They are indexed, since words are made of them as well."""
